"""Identity providers: the protocol side of signing in with OpenID Connect.

Read in this order:

- `refusals`: why a sign-in is refused, or a provider can't be used
- `addresses`: which addresses of a provider may be reached
- `provider`: the settings of one provider
- `document`: reads the settings of all providers from a JSON document
- `fetch`: bounded requests to a provider
- `published`: what a provider publishes, read again from time to time
- `metadata`, `key_set`: what it says about itself, and its keys
- `tokens`: verifies ID tokens and access tokens
- `client`: all of this for one provider, for the operations that sign members in

Imports the parent package, `core` and `values`. `cryptography` is imported when the first token is verified,
so that no other function of the service pays for it.
"""
