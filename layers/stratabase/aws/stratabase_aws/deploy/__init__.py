"""The life of a stack on AWS: how it is deployed, tried, and deleted.

- `configure`: asks what a first deployment needs, with `questions`, and saves it with `samconfig`.
- `parameters`: values of the template's parameters, as the SAM CLI reads and writes them.
- `template_parameters`: reads the template: the parameters that it declares, and the values that they allow.
- `template_functions`: refuses a template of an earlier version, which lacks functions.
- `environment`: a deployment environment of samconfig.toml, such as `dev`.
- `stack`: what a deployed stack consists of, and the settings of its functions.
- `states`: what the status of a stack means for a deployment.
- `deploy`: shows what the change of the model means, deploys, and creates the first administrator.
- `smoke`: tries an instance over HTTP.
- `table_clients`: compares the two clients of DynamoDB on the table of a stack.
- `destroy`: deletes the stack, and says what stays.

Only `stratabase aws` uses this package. The SAM CLI does the deployment itself.
"""
