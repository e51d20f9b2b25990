"""The GraphQL API of one model: its schema, and the answers to requests.

Reading order: `generate` makes the schema; `executor` answers a request by it; `type_map` finds a
type without making all of them. Below them, each package imports those before it only:

- `request`: what is known while one request is answered, and how its refusals are collected;
- `types`: the types of answers, given out by a registry that makes each once, when it is asked for;
- `inputs`: the types of inputs, and how they are read to the domain's queries and commands;
- `execution`: documents, their limits and cost, fetch plans, and answers compiled per document;
- `services`: the generated services, in registries that read like a table of contents.

It imports `operations`, `domain` and `model`. Nothing but `bootstrap` and the command line imports it.
"""
