"""Request signatures, compared with those of botocore."""

from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials
from hypothesis import given
from hypothesis import strategies as st

from stratabase_aws.dynamodb.signed_client import RequestSigner
from stratabase_aws.endpoint import Credentials

TEXTS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60)
HOSTS = st.sampled_from(["dynamodb.eu-west-1.amazonaws.com", "127.0.0.1:4566"])


@pytest.mark.soak
@given(st.binary(), st.builds(Credentials, TEXTS, TEXTS, st.none() | TEXTS), HOSTS, st.integers(0, 2**32))
def test_a_request_has_the_signature_of_botocore(
    body: bytes, credentials: Credentials, host: str, now: int
) -> None:
    headers = RequestSigner("eu-west-1", host).signed_headers(
        "DynamoDB_20120810.GetItem", body, credentials, now
    )
    ours = headers.pop("authorization")
    request = AWSRequest("POST", f"https://{host}/", headers, body)
    with patch.object(auth, "get_current_datetime", lambda: datetime.fromtimestamp(now, UTC)):
        auth.SigV4Auth(BotoCredentials(*credentials), "dynamodb", "eu-west-1").add_auth(request)
    assert ours == request.headers["Authorization"]
