"""The pages that mailed links open: to set a password, to confirm an email address, and to request a link.

`set_password` and `confirm_email` have the endpoints of the links, which share `link_pages`.
`forgot_password` has the page on which people request a link, and `sign_in` those of signing in. Imports
`pages` and `http`.
"""
