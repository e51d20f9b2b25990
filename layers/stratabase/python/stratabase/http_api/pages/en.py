"""The pages in English."""

from stratabase.domain.members.password import Weakness
from stratabase.http_api.pages.texts import ConfirmationTexts, FormError, Notice, NoticeText, PasswordTexts

PASSWORD_TEXTS = PasswordTexts(
    heading="Choose your password",
    account="For the account",
    policy=(
        "{shortest} to {longest} characters, of any kind: a few words are fine",
        "Not your username, not your email address, not a password that many people use",
    ),
    new="New password",
    repeat="New password, once more",
    show="Show the passwords",
    hide="Hide the passwords",
    set="Set the password",
    error="Error",
    mistakes={
        Weakness.SHORT: "This password is too short: it needs at least {shortest} characters.",
        Weakness.LONG: "This password is too long: it may have at most {longest} characters.",
        Weakness.UNWRITABLE: "This password has a character that cannot be typed. Choose another one.",
        Weakness.COMMON: "Many people use this password, so it is easily guessed. Choose another one.",
        Weakness.NAME: "This password is your username or your email address. Choose another one.",
        FormError.DIFFERENT: "The two passwords are not the same. Type them again.",
        FormError.LATER: "The password could not be set just now. Try again in a moment.",
    },
    notices={
        Notice.DONE: NoticeText(
            "Your password is set",
            (
                "From now on you sign in to {application} with your new password.",
                "Where you were signed in with the old one, sign in again. You can close this page.",
            ),
        ),
        Notice.EXPIRED: NoticeText(
            "This link has expired",
            (
                "A link works for one hour, and this one is older. Nothing was changed.",
                "Ask an administrator of {application} to send you a new link.",
            ),
        ),
        Notice.UNKNOWN: NoticeText(
            "This link does not work",
            (
                "It was used already, or you were sent a newer one since, or a part of it is missing.",
                "If you have just set your password, sign in with it.",
                "Otherwise open the link in the newest mail, or ask an administrator for one.",
            ),
        ),
        Notice.MISSING: NoticeText(
            "Choose your password",
            ("To choose a password, open the link in the mail that {application} sent you.",),
        ),
        Notice.LATER: NoticeText(
            "Not just now",
            ("This page cannot be shown at the moment. Your link stays good: try again in a minute.",),
        ),
    },
)
CONFIRMATION_TEXTS = ConfirmationTexts(
    heading="Confirm your email address",
    account="For the account",
    address="The new email address",
    advice="If you did not ask for this, or the account is not yours, close this page: nothing changes then.",
    confirm="Confirm the address",
    notices={
        Notice.DONE: NoticeText(
            "Your email address is confirmed",
            ("From now on mail from {application} goes to your new address. You can close this page.",),
        ),
        Notice.EXPIRED: NoticeText(
            "This link has expired",
            (
                "A link works for one hour, and this one is older. Nothing was changed.",
                "To get a new link, change your email address in {application} again.",
            ),
        ),
        Notice.UNKNOWN: NoticeText(
            "This link does not work",
            (
                "It was used or cancelled, or you were sent a newer one since, or a part of it is missing.",
                "If you have just confirmed your address, all is well.",
                "Otherwise open the link in the newest mail, or change your address in {application} again.",
            ),
        ),
        Notice.TAKEN: NoticeText(
            "This address belongs to another account",
            (
                "Another account of {application} has this email address by now. Nothing was changed.",
                "Use another address, or ask an administrator of {application}.",
            ),
        ),
        Notice.MISSING: NoticeText(
            "Confirm your email address",
            ("To confirm an email address, open the link in the mail that {application} sent there.",),
        ),
        Notice.LATER: NoticeText(
            "Not just now",
            ("This page cannot be shown at the moment. Your link stays good: try again in a minute.",),
        ),
    },
)
