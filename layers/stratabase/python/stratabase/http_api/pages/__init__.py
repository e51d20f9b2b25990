"""What people see in a browser: the pages behind mailed links, and GraphiQL.

`set_password` and `confirm_email` are the endpoints of the links, `link_pages` is what they share,
`password_form` the form. `page` renders the templates; `texts` says what pages say, in `en` and `it`.
Imports `auth` and `http`.
"""
