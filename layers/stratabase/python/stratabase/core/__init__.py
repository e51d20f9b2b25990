"""The core: a model, the objects that it describes, their store, and their API over GraphQL and HTTP.

| package | content |
|---|---|
| model | what a model file says, and its rules |
| domain | the rules about objects: access, queries, writes, locks, versions. No I/O, no clock |
| jobs | the work that writes leave for later, and the runner that does it |
| operations | what a request does with objects: read, then decide, then write |
| store | how objects become items, on SQLite, or on another engine behind the same port |
| files | the bytes of files in a folder |
| schema | the GraphQL schema of a model, and its execution |
| http | the endpoints, and the handler that calls them |
| app | what builds all of these for settings and a platform |

The modules beside them import none of these packages:

- `features`: the table of what each package brings: routes, commands, stores, and parts of an app
- `settings`, `setting_values`: the settings, and how texts become their values
- `observe`, `request_log`: the log, the lines of requests, and what a request has used
- `waiting`, `greenlets`, `concurrent_calls`, `current_request`: how requests wait, and how long
- `data_folder`, `local_files`, `unusable_store`: the folder of an instance, its files, and their errors

Imports `values` only.
"""
