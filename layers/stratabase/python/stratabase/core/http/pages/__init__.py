"""The web pages: the start, GraphiQL, the API reference, and the page for addresses that don't exist.

`start` has the page at the root address. `notices` renders pages without a form, and `page` the HTML
templates, also for `members.pages`. These pages are in the language of the member or of the browser (see
`stratabase.values.messages`). `built_page` serves GraphiQL and the API reference, which run in the browser.
Imports `core.http.base`.
"""
