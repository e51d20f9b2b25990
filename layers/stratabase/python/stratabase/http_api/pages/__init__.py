"""The web pages: the start, the pages that mailed links open, GraphiQL and the API reference.

`start` has the page at the root address. `set_password` and `confirm_email` have the endpoints of the links,
which share `link_pages`. `password_form` renders the form, `notices` the pages without a form (also for
addresses that don't exist), and `page` the HTML templates. These pages are in the language of the member or
of the browser (see `stratabase.messages`).
`built_page` serves GraphiQL and the API reference, which run in the browser. Imports `auth` and `http`.
"""
