"""From a document to what is fetched and answered: imports `request`, `types` and `inputs` of `schema`.

Reading order: `documents` parses, validates and keeps documents; `limits` and `repetition` judge their shape,
`cost` what an operation may read (`cost_steps` finds what leads to objects, `cost_estimate` adds up).
`selections` collects fields; `fetch_plan` says what they need of objects, `views` fetches that.
`compiled_operation` answers an operation without graphql-core's executor: `answer_code` compiles what
shapes its answers. These report no error. Whatever is not plainly good is left to graphql-core, which
executes the operation over the results that are there already, and so is the one judge of errors and nulls.
`errors` and `insight` render what stands beside `data`.
"""
