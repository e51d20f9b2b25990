"""The web pages: the pages that mailed links open, and GraphiQL.

`set_password` and `confirm_email` have the endpoints of the links, which share `link_pages`. `password_form`
renders the form, `notices` the pages without a form, and `page` the HTML templates. Pages are in the language
of the member (see `stratabase.messages`). `graphiql` has the GraphiQL page. Imports `auth` and `http`.
"""
