"""The documentation of this version, which `serve` offers as web pages.

`endpoints` has the endpoints. `pages` finds the pages, which a wheel has as files of HTML. In a copy of the
repository, `source_pages` renders them. A wheel does not have this module.

Only `serve` has these pages: the layer of AWS does not have this package. Imports the HTTP layer of the core.
"""
