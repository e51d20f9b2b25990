import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.Random;
import java.util.TimeZone;

/** Writes what Java makes of random patterns: `java Java.java dates > dates.tsv`, `… numbers > numbers.tsv` (OpenJDK 17). */
public class Java {
    static final Random random = new Random(2026);
    static final String REFUSED = "REFUSED";

    static String one(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    static String datePattern() {
        var pattern = new StringBuilder();
        for (int runs = 1 + random.nextInt(6); runs > 0; runs--) {
            String letter = one("GyyyyYMMMLddDFEEuaHHkKhmsSwWZXeq'".split(""));
            pattern.append(letter.repeat(1 + random.nextInt(5))).append(one("", " ", "/", ":", "'T'", "''", ", "));
        }
        return pattern.toString();
    }

    static String numberPattern() {
        String affix = one("", "", "", "a", "-", "'#'", "%", " ‰", "''", "(", "+");
        String suffix = one("", "", "", "", "%", " m", "-", ")", "'0'");
        String digits = one("0", "#", "#,##0", "#,###", "00", "##", "", "#,####,##0", "#0", ",0", "000,000", "0,", "0#")
            + one("", "", ".", ".0", ".00", ".#", ".0##", ".###", "..", ".#0") + one("", "", "", "E0", "E00", "E");
        return affix + digits + suffix + one("", "", "", ";(0)", ";-0", ";neg", ";");
    }

    static String number() {
        var number = new BigDecimal(new BigInteger(1 + random.nextInt(60), random), random.nextInt(20) - 5);
        var signed = random.nextInt(3) == 0 ? number.negate() : number;
        return signed.signum() == 0 ? "0" : signed.toPlainString();
    }

    static String dateLine() {
        String pattern = datePattern(), language = one("en", "it", "it-IT", "de", "fr-FR", "pt-BR", "ru", "en-US");
        String zone = one("UTC", "Europe/Rome", "America/New_York", "Asia/Kolkata");
        long instant = (long) (random.nextDouble() * 3e12) - 600_000_000_000L;
        String text = REFUSED;
        try {
            var format = new SimpleDateFormat(pattern, Locale.forLanguageTag(language));
            format.setTimeZone(TimeZone.getTimeZone(zone));
            text = format.format(new Date(instant));
        } catch (IllegalArgumentException refused) {
        }
        return String.join("\t", pattern, language, zone, Long.toString(instant), text);
    }

    static String numberLine() {
        String pattern = numberPattern(), language = one("en", "it", "de-CH", "fr", "sv"), number = number(), text = REFUSED;
        try {
            var symbols = DecimalFormatSymbols.getInstance(Locale.forLanguageTag(language));
            text = new DecimalFormat(pattern, symbols).format(new BigDecimal(number));
        } catch (IllegalArgumentException refused) {
        }
        return String.join("\t", pattern, language, number, text);
    }

    public static void main(String[] arguments) throws Exception {
        var out = new PrintStream(System.out, false, "UTF-8");
        for (int line = 0; line < 500; line++) out.println(arguments[0].equals("dates") ? dateLine() : numberLine());
        out.flush();
    }
}
