"""The pages in Italian."""

from stratabase.domain.members.password import Weakness
from stratabase.http_api.pages.texts import ConfirmationTexts, FormError, Notice, NoticeText, PasswordTexts

PASSWORD_TEXTS = PasswordTexts(
    heading="Scegli la tua password",
    account="Per l'account",
    policy=(
        "Da {shortest} a {longest} caratteri di qualsiasi tipo: vanno bene anche alcune parole",
        "Non il tuo nome utente, non il tuo indirizzo email, non una password usata da molti",
    ),
    new="Nuova password",
    repeat="Ripeti la nuova password",
    show="Mostra le password",
    hide="Nascondi le password",
    set="Imposta la password",
    error="Errore",
    mistakes={
        Weakness.SHORT: "Questa password è troppo corta: servono almeno {shortest} caratteri.",
        Weakness.LONG: "Questa password è troppo lunga: può avere al massimo {longest} caratteri.",
        Weakness.UNWRITABLE: "Questa password ha un carattere che non si può digitare. Scegline un'altra.",
        Weakness.COMMON: "Molti usano questa password, quindi è facile da indovinare. Scegline un'altra.",
        Weakness.NAME: "Questa password è il tuo nome utente o il tuo indirizzo email. Scegline un'altra.",
        FormError.DIFFERENT: "Le due password non sono uguali. Scrivile di nuovo.",
        FormError.LATER: "Al momento non è stato possibile impostare la password. Riprova tra poco.",
    },
    notices={
        Notice.DONE: NoticeText(
            "La password è impostata",
            (
                "Da ora in poi accedi a {application} con la nuova password.",
                "Dove usavi quella vecchia dovrai accedere di nuovo. Puoi chiudere questa pagina.",
            ),
        ),
        Notice.EXPIRED: NoticeText(
            "Questo link è scaduto",
            (
                "Un link funziona per un'ora, e questo è più vecchio. Nulla è cambiato.",
                "Chiedi a chi amministra {application} di inviarti un nuovo link.",
            ),
        ),
        Notice.UNKNOWN: NoticeText(
            "Questo link non funziona",
            (
                "È già stato usato, oppure te ne è stato inviato uno più recente, oppure ne manca una parte.",
                "Se hai appena impostato la password, usala per accedere.",
                "Altrimenti apri il link nell'email più recente, o chiedine uno a chi amministra.",
            ),
        ),
        Notice.MISSING: NoticeText(
            "Scegli la tua password",
            ("Per scegliere una password, apri il link nell'email che {application} ti ha inviato.",),
        ),
        Notice.LATER: NoticeText(
            "Non in questo momento",
            ("Ora non è possibile mostrare questa pagina. Il link resta valido: riprova tra un minuto.",),
        ),
    },
)
CONFIRMATION_TEXTS = ConfirmationTexts(
    heading="Conferma il tuo indirizzo email",
    account="Per l'account",
    address="Il nuovo indirizzo email",
    advice="Se non l'hai chiesto tu, o se l'account non è tuo, chiudi questa pagina: nulla cambierà.",
    confirm="Conferma l'indirizzo",
    notices={
        Notice.DONE: NoticeText(
            "Il tuo indirizzo email è confermato",
            ("D'ora in poi i messaggi di {application} arrivano lì. Puoi chiudere questa pagina.",),
        ),
        Notice.EXPIRED: NoticeText(
            "Questo link è scaduto",
            (
                "Un link funziona per un'ora, e questo è più vecchio. Nulla è cambiato.",
                "Per avere un nuovo link, cambia di nuovo il tuo indirizzo email in {application}.",
            ),
        ),
        Notice.UNKNOWN: NoticeText(
            "Questo link non funziona",
            (
                "È già stato usato o annullato, oppure ce n'è uno più recente, oppure ne manca una parte.",
                "Se hai appena confermato il tuo indirizzo, è tutto a posto.",
                "Altrimenti apri il link nell'email più recente, o cambia di nuovo l'indirizzo.",
            ),
        ),
        Notice.TAKEN: NoticeText(
            "Questo indirizzo appartiene a un altro account",
            (
                "Un altro account di {application} ora ha questo indirizzo email. Nulla è cambiato.",
                "Usa un altro indirizzo, o rivolgiti a chi amministra {application}.",
            ),
        ),
        Notice.MISSING: NoticeText(
            "Conferma il tuo indirizzo email",
            ("Per confermare un indirizzo, apri il link nell'email che {application} gli ha inviato.",),
        ),
        Notice.LATER: NoticeText(
            "Non in questo momento",
            ("Ora non è possibile mostrare questa pagina. Il link resta valido: riprova tra un minuto.",),
        ),
    },
)
