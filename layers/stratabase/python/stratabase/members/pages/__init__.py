"""The pages for members: those that mailed links open, the sign-in page, and the account page.

`set_password` and `confirm_email` have the endpoints of the links, which share `link_pages`.
`forgot_password` has the page on which people request a link, and `sign_in` those of signing in. `account`
has the page on which members change what belongs to their account. Imports `pages` and `http`.
"""
