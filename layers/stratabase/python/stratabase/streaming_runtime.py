"""The runtime of functions that stream, for copies of `functions/download/stream` that name this module.

`stratabase init` copied such a script into projects until version 0.1. New ones name
`stratabase_aws.streaming_runtime`.
"""

from stratabase_aws.streaming_runtime import main

if __name__ == "__main__":
    main()
