"""Mail on AWS: Amazon SES, a mail server whose password is in a secret, and the queue of the function `mail`.

`lambda_queue` passes each request to a Lambda function, which AWS invokes later.
"""
