"""The GraphQL API of one model: its schema, and the execution of requests.

Read `generate` first, which makes the schema and finds its types by name, then `executor`, which executes a
request, and knows the schema that each profile sees. `description` describes the model for clients of any
model, and `prepared_documents` has the introspection and SDL from build time. Each package imports only those
before it:

- `request`: the context of one request, the call of one service, and checks before a service reads
- `types`: the types of answers, in a registry that makes each type when it is first used
- `inputs`: the types of inputs, and how the domain's queries and commands are read from them
- `execution`: documents, their limits and cost, fetch plans, and compiled answers
- `services`: the generated services, in a registry that reads like a table of contents

The package imports `operations`, `domain` and `model`. Only `app` and the command line import it.
"""
