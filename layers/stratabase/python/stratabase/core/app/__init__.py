"""The app: the core, and what other packages bring to it, on a platform.

Read in this order:

- `app`: an app with its model, settings, stores and services
- `platform`: the protocol of where an app keeps everything
- `routes`, `jobs`: the addresses of the core with their endpoints, and its kinds of job
- `store_marks`: opens the marks of all stores, for commands

Imports all packages of the core. Other packages extend an app by `App.part` and a row in `core.features`.
"""
