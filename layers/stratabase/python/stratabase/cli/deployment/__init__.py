"""The life of a stack on AWS: how it is deployed, tried, and deleted.

- `environment`: a deployment environment of samconfig.toml, such as `dev`.
- `stack`: what a deployed stack consists of, and the settings of its functions.
- `deploy`: shows what the change of the model means, deploys, and creates the first administrator.
- `smoke`: tries an instance over HTTP.
- `destroy`: deletes the stack, and says what stays.

Only `stratabase aws` uses this package. The SAM CLI does the deployment itself.
"""
