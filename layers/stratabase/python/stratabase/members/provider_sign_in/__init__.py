"""Sign in with an identity provider: from a front end to the provider and back, and what members link there.

Read in this order:

- `flow`: leads the browser to a provider, and takes it back with a code
- `return_address`: the pages to which the browser may return
- `attempt`, `sealed`: what the browser keeps in between, encrypted
- `admission`: which member an account belongs to, with which profile, and who becomes a member
- `codes`: the codes with which sign-ins and linkings end
- `password`: signs in with a password instead, on the sign-in page, and ends with such a code
- `exchange`: exchanges a code, or an access token of a provider, for a token of this service
- `links`: lists, makes and removes links of members

`providers` has the protocol of OpenID Connect. Imports it, `operations`, `sign_in` and the parent package.
`cryptography` is imported when something is sealed or opened.
"""
