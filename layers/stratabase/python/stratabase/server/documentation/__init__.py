"""The documentation of this version, which `serve` offers as web pages.

`endpoints` has the endpoints. `pages` knows which Markdown
files are pages, and renders each on first use. `markdown` converts one file to HTML. `templates` has the
frame and the style. Only `serve` has these pages: the layer of AWS has neither this package nor the files.

Imports the HTTP layer of the core.
"""
