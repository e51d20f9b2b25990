"""What people see in a browser: the pages behind mailed links, and GraphiQL.

`set_password` and `confirm_email` are the endpoints of the links, `link_pages` is what they share,
`password_form` the form. `notices` has the pages without a form; `page` renders the templates. Pages are in
the language of the member, see `stratabase.messages`. Imports `auth` and `http`.
"""
