"""The web pages: the start, the console, GraphiQL, the API reference, and the one for unknown addresses.

`start` has the page at the root address. `notices` renders pages without a form, and `page` the HTML
templates, also for `members.pages`. These pages are in the language of the member or of the browser (see
`stratabase.values.messages`). `built_page` serves GraphiQL and the API reference, and `console_page` the
console. These run in the browser, from files that `built_files` serves. Imports `core.http.base`.
"""
