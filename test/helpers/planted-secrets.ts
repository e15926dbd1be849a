/**
 * Made-up secrets, one or more of every family of `packages/palimpsest/src/base/redaction/secret-families.ts` and `packages/palimpsest/src/base/redaction/secret-contexts.ts`.
 *
 * None was ever valid. They are put together here so that no scanner takes this file for a leak.
 */

/** A secret as it occurs in a text, and the part of it that must not appear in any output. */
export interface PlantedSecret {
  readonly family: string;
  readonly text: string;
  readonly body: string;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX = "0123456789abcdef";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

let state = 20_261_123;

/** Random characters, the fourth of which is a digit and the fifth a letter, so that none looks like a word. */
function random(count: number, alphabet = LETTERS): string {
  let made = "";
  for (let index = 0; index < count; index++) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const isFixed = index % 7 === 3 || index % 7 === 4;
    made += isFixed
      ? index % 7 === 3
        ? "7"
        : alphabet === UPPER
          ? "K"
          : "d"
      : alphabet[((mixed ^ (mixed >>> 14)) >>> 0) % alphabet.length]!;
  }
  return made;
}

const hex = (count: number): string => random(count, HEX);
const uuid = (): string => [8, 4, 4, 4, 12].map(hex).join("-");

function plant(family: string, before: string, body: string, after = ""): PlantedSecret {
  return { family, text: `${before}${body}${after}`, body };
}

const PEM_LINES = [64, 64, 40].map((count) => random(count)).join("\n");

const SHAPED_SECRETS: readonly PlantedSecret[] = [
  plant("anthropic", "sk-ant" + "-api03-", random(80)),
  plant("openrouter", "sk-or" + "-v1-", random(64)),
  plant("langfuse", "sk-lf" + "-", uuid()),
  plant("openai", "sk" + "-proj-", random(56)),
  plant("openai", "sk" + "-", random(48)),
  plant("deepseek", "sk" + "-", hex(32)),
  plant("google", "AIz" + "a", random(35)),
  plant("google", "GOCSPX" + "-", random(28)),
  plant("google", "ya29" + ".", random(60)),
  plant("google", "1//" + "0", random(60)),
  plant("groq", "gsk" + "_", random(52)),
  plant("xai", "xai" + "-", random(80)),
  plant("perplexity", "pplx" + "-", random(48)),
  plant("huggingface", "hf" + "_", random(34)),
  plant("replicate", "r8" + "_", random(37)),
  plant("nvidia", "nvapi" + "-", random(64)),
  plant("cerebras", "csk" + "-", random(48).toLowerCase()),
  plant("tavily", "tvly" + "-dev-", random(32)),
  plant("together", "tgp_v1" + "_", random(43)),
  plant("pinecone", "pcsk" + "_", random(70)),
  plant("langsmith", "lsv2_pt" + "_", `${hex(32)}_${hex(10)}`),
  plant("elevenlabs", "sk" + "_", hex(48)),
  plant("jina", "jina" + "_", random(60)),
  plant("fireworks", "fw" + "_", random(22)),
  ...["p", "o", "u", "s", "r"].map((kind) => plant("github", `gh${kind}` + "_", random(36))),
  plant("github", "github" + "_pat_", random(60)),
  plant("gitlab", "glpat" + "-", random(20)),
  plant("npm", "npm" + "_", random(36)),
  plant("npm", "//registry.npmjs.org/:_authToken" + "=", random(36)),
  plant("pypi", "pypi" + "-AgEIcHlwaS5vcmc", random(70)),
  plant("rubygems", "rubygems" + "_", hex(48)),
  plant("nuget", "oy" + "2", random(43).toLowerCase()),
  plant("crates-io", "ci" + "o", random(32)),
  plant("clojars", "CLOJARS" + "_", random(60).toLowerCase()),
  plant("docker", "dckr_pat" + "_", random(27)),
  plant("docker", '"auths": {"ghcr.io": {"auth' + '": "', random(40), '"}}'),
  plant("jfrog", "AKC" + "p", random(69)),
  plant("jfrog", "cmVm" + "d", random(59)),
  plant("sonar", "squ" + "_", hex(40)),
  plant("sourcegraph", "sgp" + "_local_", hex(40)),
  plant("atlassian", "ATATT3x" + "FfGF0", random(180)),
  plant("atlassian", "ATB" + "B", random(32)),
  plant("linear", "lin_api" + "_", random(40)),
  plant("postman", "PMAK" + "-", `${hex(24)}-${hex(34)}`),
  plant("buildkite", "bkua" + "_", hex(40)),
  plant("octopus", "AP" + "I-", random(26, UPPER)),
  plant("prefect", "pnu" + "_", random(36)),
  plant("readme", "rdme" + "_", random(70).toLowerCase()),
  plant("infracost", "ico" + "-", random(32)),
  plant("launchdarkly", "sdk" + "-", uuid()),
  plant("typeform", "tfp" + "_", random(59)),
  plant("contentful", "CFPAT" + "-", random(43)),
  plant("figma", "figd" + "_", random(40)),
  plant("notion", "ntn" + "_", random(46)),
  plant("notion", "secret" + "_", random(43)),
  plant("airtable", "pa" + "t", `${random(14)}.${hex(64)}`),
  plant("aws", "AK" + "IA", random(16, UPPER)),
  plant("aws", "aws_secret_access_key" + " = ", random(40)),
  plant("aws", "AWS_SESSION_TOKEN" + "=", random(180)),
  plant("aws", "ABSKQmVkcm9ja0" + "FQSUtleS", random(100)),
  plant("digitalocean", "dop_v1" + "_", hex(64)),
  plant("databricks", "dap" + "i", hex(32)),
  plant("vault", "hvs" + ".", random(90)),
  plant("doppler", "dp.p" + "t.", random(43)),
  plant("pulumi", "pul" + "-", hex(40)),
  plant("heroku", "HRKU" + "-AA", random(58)),
  plant("heroku", "HEROKU_API_KEY" + "=", uuid()),
  plant("cloudflare", "v1.0" + "-", `${hex(24)}-${hex(146)}`),
  plant("fly", "fo1" + "_", random(43)),
  plant("fly", "fm2" + "_", random(120)),
  plant("netlify", "nfp" + "_", random(40)),
  plant("supabase", "sbp" + "_", hex(40)),
  plant("supabase", "sb_secret" + "_", random(31)),
  plant("planetscale", "pscale_tkn" + "_", random(43)),
  plant("tailscale", "tskey" + "-auth-", `${random(12)}-${random(32)}`),
  plant("openshift", "sha256" + "~", random(43)),
  plant("alibaba", "LTA" + "I", random(20)),
  plant("tencent", "AKI" + "D", random(32)),
  plant("yandex", "AQV" + "N", random(36)),
  plant("age", "AGE-SECRET" + "-KEY-1", random(58, UPPER)),
  plant("1password", "ops" + "_eyJ", random(250)),
  plant(
    "1password",
    "A" + "3-",
    `${random(6, UPPER)}-${random(11, UPPER)}-${[5, 5, 5].map((count) => random(count, UPPER)).join("-")}`,
  ),
  plant("dynatrace", "dt0" + "c01.", `${random(24, UPPER)}.${random(64, UPPER)}`),
  plant("grafana", "glc" + "_", random(60)),
  plant("grafana", "glsa" + "_", `${random(32)}_${hex(8)}`),
  plant("new-relic", "NRAK" + "-", random(27, UPPER)),
  plant("sentry", "sntrys" + "_eyJpYXQiO", random(120)),
  plant("sentry", "sntryu" + "_", hex(64)),
  plant("slack", "xox" + "b-123456789012-", random(24)),
  plant("slack", "xap" + "p-1-A0123456789-", random(40)),
  plant("bot-token", "12345678" + "90:AA", random(33)),
  plant("bot-token", "https://api.telegram.org/bot12345678" + "90:AA", random(33), "/getMe"),
  plant("bot-token", "MT" + "AxNzI4NTM0MDk2MjIyMDE2.", `Gk3d7x.${random(38)}`),
  plant("webhook", "whsec" + "_", random(32)),
  plant("stripe", "sk_" + "live_", random(24)),
  plant("square", "EAA" + "A", random(60)),
  plant("square", "sq0atp" + "-", random(22)),
  plant("meta", "EA" + "ACEdEose0cBA", random(120)),
  plant("shopify", "shpat" + "_", hex(32)),
  plant("shippo", "shippo_live" + "_", hex(40)),
  plant("easypost", "EZA" + "K", random(54)),
  plant("duffel", "duffel_live" + "_", random(43)),
  plant("flutterwave", "FLWSECK" + "-", hex(32), "-X"),
  plant("braintree", "access_token" + "$production$", `${random(16).toLowerCase()}$${hex(32)}`),
  plant("twilio", "S" + "K", hex(32)),
  plant("sendgrid", "S" + "G.", `${random(22)}.${random(43)}`),
  plant("mailgun", "key" + "-", hex(32)),
  plant("mailchimp", "", hex(32), "-us" + "14"),
  plant("maxmind", "", `${random(6)}_${random(29)}`, "_mm" + "k"),
  plant("brevo", "xkeysib" + "-", `${hex(64)}-${random(16)}`),
  plant("resend", "re" + "_", `${random(8)}_${random(24)}`),
  plant("mapbox", "sk." + "eyJ", `${random(70)}.${random(22)}`),
  plant("adobe", "p8e" + "-", random(32)),
  plant("frameio", "fio-u" + "-", random(64)),
  plant("dropbox", "sl" + ".", random(135)),
  plant("terraform", "", random(14), ".atlas" + `v1.${random(64)}`),
  plant("jwt", "ey" + "JhbGciOiJIUzI1NiJ9.eyJ", `${random(40)}.${random(43)}`),
  plant("paseto", "v4.loc" + "al.", random(120)),
  plant("paseto", "v2.pub" + "lic.", `${random(90)}.${random(20)}`),
  plant(
    "private-key",
    "-----BEGIN RSA PRIV" + "ATE KEY-----\n",
    PEM_LINES,
    "\n-----END RSA PRIV" + "ATE KEY-----",
  ),
  plant("azure", "DefaultEndpointsProtocol=https;AccountKey" + "=", random(86), "=="),
  plant("azure", "SharedAccessKey" + "=", random(43), "="),
  plant("azure", "https://x.blob.core.windows.net/c?sv=2024-11-04&si" + "g=", random(43), "%3D"),
  plant("azure", "abc8" + "Q~", random(34)),
  plant(
    "slack-webhook",
    `https://hooks.slack.com/services/T${random(8, UPPER)}/B${random(8, UPPER)}/`,
    random(24),
  ),
  plant("discord-webhook", "https://discord.com/api/webhooks/123456789012345678/", random(68)),
  plant(
    "teams-webhook",
    "https://acme.webhook.office.com/webhookb2/",
    `${uuid()}@${uuid()}/IncomingWebhook/${hex(32)}/${uuid()}`,
  ),
  plant("zapier-webhook", "https://hooks.zapier.com/hooks/catch/1234567/", random(12)),
  plant("url-credentials", "postgres://admin:", `${random(10)}9x`, "@db.internal:5432/app"),
  plant("service-account", '{"type": "service_account", "private_key_id": "', hex(40), '"}'),
  plant("curl", "curl -s -u admin:", random(16), " https://x.example/z"),
  plant("curl", "sshpass -p ", random(14), " ssh host"),
  plant("netrc", "machine h.example login u password ", random(14)),
  plant("cookie", "Set-Cookie: session=", random(40), "; HttpOnly"),
  plant("cookie", "cookie: _ga=GA1.2.1234567890.1; sid=", random(40)),
  plant("cookie", "PHPSESSID" + "=", random(32)),
  plant("authorization", "Authorization: Bearer ", random(40)),
  plant("authorization", "x-api-key: ", random(40)),
  plant("authorization", "PRIVATE-TOKEN: ", random(20)),
  plant("variable", "CLOUDFLARE_API_TOKEN=", random(40)),
  plant("variable", "TWILIO_AUTH_TOKEN=", hex(32)),
  plant("password", "DB_PASSWORD=", random(16)),
  plant("password", "Server=db;User Id=sa;Pwd=", random(16), ";"),
  plant("password", "the password of the staging server is ", random(12)),
  plant("password", "Das Passwort für Staging lautet ", random(12)),
  plant("password", "La contraseña de la base de datos es ", random(12)),
  plant("password", "Le mot de passe du serveur est ", random(12)),
  plant("password", "La password del server è ", random(12)),
  plant("password", "A senha do servidor é ", random(12)),
  plant("password", "Het wachtwoord van de server is ", random(12)),
  plant("password", "Пароль от сервера: ", random(12)),
  plant("password", "数据库的密码是", random(12), "。"),
  plant("password", "サーバーのパスワードは", random(12), "です"),
  plant("password", "서버 비밀번호는 ", random(12), " 입니다"),
  plant("password", "Hasło do serwera to ", random(12)),
  plant("password", "Heslo k databázi je ", random(12)),
  plant("password", "Lösenordet till servern är ", random(12)),
  plant("password", "Adgangskoden til serveren er ", random(12)),
  plant("password", "Salasana on ", random(12)),
  plant("password", "Parola serverului este ", random(12)),
  plant("password", "Ο κωδικός είναι ", random(12)),
  plant("password", "Mật khẩu của máy chủ là ", random(12)),
  plant("password", "Kata sandi server adalah ", random(12)),
  plant("password", "كلمة المرور هي ", random(12)),
  plant("password", "הסיסמה היא ", random(12)),
  plant("password", "सर्वर का पासवर्ड है ", random(12)),
  plant("password", "รหัสผ่านคือ", random(12)),
  plant("password", "Sunucunun şifresi ", random(12)),
];

/** Secrets beside their name, in the formats of settings, commands, documents and queries. */
const SECRETS_WITH_NAMES: readonly PlantedSecret[] = [
  plant("variable", '{"token_type":"Bearer","refresh_token":"', random(24), '","expires_in":3599}'),
  plant("variable", '{\\"client\\":{\\"accessToken\\":\\"', random(24), '\\"}}'),
  plant("variable", "https://app.example/cb#access_token=", random(24), "&state=1"),
  plant("variable", "https://app.example/cb?token=", random(24), "%3D%3D&state=1"),
  plant("variable", "GET https://maps.example/geocode/json?key=", random(39)),
  plant("variable", "vercel deploy --token ", random(24)),
  plant("password", "tool --client-secret='", random(24), "'"),
  plant("variable", "ENV API_TOKEN ", random(24)),
  plant("variable", "set -x api_token ", random(24)),
  plant("variable", "api_token ?= ", random(24)),
  plant("variable", '["--token", "', random(24), '"]'),
  plant("variable", "<clientSecret>", random(24), "</clientSecret>"),
  plant("variable", "**Access token**: `", random(24), "`"),
  plant("variable", "| API token | ", random(24), " |"),
  plant("variable", "PRIVATE_KEY=", `0x${hex(64)}`),
  plant("variable", "PrivateKey = ", random(43), "="),
  plant("variable", '{"value": "', random(24), '", "name": "API_TOKEN"}'),
  plant("variable", "- name: API_TOKEN\n  value: ", random(24)),
  plant("variable", '{"name": "SENTRY_SECRET", "value": "', random(24), '"}'),
  plant("password", "<server><username>deploy</username><password>", random(14), "</password></server>"),
  plant("password", '<add key="DbPassword" value="', random(14), '"/>'),
  plant("password", "<td>Password</td><td>", random(14), "</td>"),
  plant("password", "**Password:** ", random(14)),
  plant("password", "| password | ", random(14), " |"),
  plant("password", '["mysqladmin","--password","', random(14), '"]'),
  plant("password", "backup --password ", random(14), " --all"),
  plant("password", "CREATE USER 'app'@'%' IDENTIFIED BY '", random(14), "';"),
  plant("password", "ALTER ROLE app WITH PASSWORD '", random(14), "';"),
  plant("password", '{"name":"DB_PASSWORD","value":"', random(14), '"}'),
  plant("password", '{\\"Name\\":\\"DB_PASSWORD\\",\\"Value\\":\\"', random(14), '\\"}'),
  plant("password", "- name: DB_PASSWORD\n  value: ", random(14)),
  plant("password", 'password := "', random(14), '"'),
  plant("password", "define('DB_PASSWORD', '", random(14), "');"),
  plant("password", "password: >-\n  ", random(14)),
  plant("password", "password：", random(14)),
  plant("password", "mysql -u root -p", random(14), " app"),
  plant("password", "docker login -u me -p ", random(14), " registry.example"),
  plant("password", "redis-cli -h cache -a ", random(14), " ping"),
  plant("url-credentials", "postgres%3A%2F%2Fapp%3A", random(14), "%40db%2Fapp"),
  plant("url-credentials", '{"url":"https:\\/\\/app:', random(14), '@db.example"}'),
  plant("url-credentials", "postgres://app:p@", random(14), "@db/app"),
  plant("twilio", `new Twilio("AC${hex(32)}", "`, hex(32), '")'),
  plant("ngrok", "ngrok config add-authtoken ", `${random(27)}_${random(20)}`),
  plant("private-key", "Private-Lines: 1\n", random(64)),
  plant("django", "django-insecure" + "-", `${random(20)}$(x)&^${random(26)}`),
  plant("password", ':secret_key_base => "', random(24), '"'),
  plant("password", "ansible_become_pass: ", random(14)),
  plant("password", "keytool -list -storepass ", random(14)),
  plant("password", "auth: { user: 'me', pass: '", random(14), "' }"),
  plant("password", "openssl rsa -in key.pem -passin pass:", random(14)),
  plant("password", 'psk="', random(14), '"'),
  plant("password", 'ConvertTo-SecureString "', random(14), '" -AsPlainText'),
  plant("password", "db.internal:5432:app:me:", random(14)),
  plant("password", "htpasswd -b -c .htpasswd me ", random(14)),
];

/** Secrets that are known by a line above or below them, or that have any signs. A break takes that from them. */
export const SECRETS_OF_LINES: readonly PlantedSecret[] = [
  // Signs that end a value where no quote does.
  plant("password", "DB_PASSWORD='", `${random(7)}<$&);(${random(7)}`, "'"),
  plant("password", '{"password":"', `${random(5)}[{,^${random(9)}`, '","port":1}'),
  plant("password", "Server=db;Password=", `${random(7)}<&>${random(7)}`, ";Encrypt=True"),
  plant("password", "username,password,role\nanna,", random(14), ",admin\nben,,user"),
  plant("password", "Remember: name,password\nanna,", random(14)),
  plant("kubernetes", "Remember: kind: Secret\ndata:\n  dsn: ", random(24)),
  plant("password", "| name | password |\n| --- | --- |\n| anna | ", random(14), " |"),
  plant("password", " name | password\n------+----------\n anna | ", random(14), "\n(1 row)"),
  plant("variable", "id;api_key\n1;", random(24), "\n2;none"),
  plant(
    "password",
    "INSERT INTO users (name, password) VALUES ('a (b)', '-'), ('anna', '",
    random(14),
    "');",
  ),
  plant("kubernetes", "apiVersion: v1\nkind: Secret\ndata:\n  dsn: ", random(24), "\ntype: Opaque"),
  plant("kubernetes", "apiVersion: v1\ndata:\n  dsn: ", random(24), "\nkind: Secret\nmetadata:\n  name: db"),
  plant("kubernetes", '{\n  "data": {\n    "dsn": "', random(24), '"\n  },\n  "kind": "Secret"\n}'),
];

export const PLANTED_SECRETS: readonly PlantedSecret[] = [...SHAPED_SECRETS, ...SECRETS_WITH_NAMES];

/** Characters that no one sees, and a terminal's sequences, as they are and as JSON writes them. */
export const UNSEEN: Readonly<Record<string, string>> = {
  "a space of no width": "\u200b",
  "a joiner": "\u2060",
  "no joiner": "\u200c",
  "a byte order mark": "\ufeff",
  "a soft hyphen": "\u00ad",
  "a tag": "\u{e0041}",
  "a selector": "\ufe0f",
  "a rare selector": "\u{e0100}",
  "a mark of direction": "\u200e",
  "a reversal": "\u202e",
  "a joiner of letters": "\u034f",
  "a filler": "\u3164",
  "a separator of lines": "\u2028",
  "a zero": "\0",
  "a backspace": "\b",
  "a deletion": "\u007f",
  "the end of a color": "\u001b[0m",
  "the marks of a search": "\u001b[m\u001b[K\u001b[01;31m\u001b[K",
  "a link": "\u001b]8;;https://a.example/b\u001b\\",
  "the end of a link": "\u001b]8;;\u0007",
  "a space of no width in JSON": "\\u200b",
  "a tag in JSON": "\\uDB40\\uDC41",
  "a color in JSON": "\\u001b[0m",
  "a link in JSON in JSON": "\\\\u001b]8;;https://a.example/b\\\\u001b\\\\\\\\",
  "a color in a program": "\\x1b[1;31m",
};

/** Keys that are broken near their start and within, by what is not seen and by the marks at the start of lines. */
export const BROKEN_SECRETS: readonly PlantedSecret[] = [
  ...Object.values(UNSEEN).flatMap((unseen) =>
    [3, 4, 20].map((at) => {
      const key = `${"gh"}p_${random(36)}`;
      return plant("github", `${key.slice(0, at)}${unseen}`, key.slice(at));
    }),
  ),
  ...[
    ["\n+", "\n+"],
    ["\n-  ", "\r\n-  "],
    [" 41\t", "\n 42\t"],
    ["  9→", "\n 10→"],
    ["9 | ", "\n10 | "],
  ].flatMap(([front, end]) => {
    const key = `${"gh"}p_${random(36)}`;
    return [plant("github", `${front}${key.slice(0, 20)}${end}`, key.slice(20))];
  }),
];
