"""Mail on AWS: by Amazon SES (`ses`), or a mail server whose password is in a secret (`smtp_secret`).

`lambda_queue` passes each request to a Lambda function, which AWS invokes later.
"""
