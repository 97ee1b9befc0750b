import { Buffer } from 'node:buffer';
import { createNoise } from '../../e2e/capture/plant-secrets.ts';
import { addressForms, codeForms } from './address-forms.ts';
import { commandForms } from './command-forms.ts';
import { knownValueForms } from './known-value-forms.ts';
import { DIGITS, HEX, LOWER, password, UPPER, type Noise, type SecretForm } from './secret-form.ts';

/** Secrets are made here from a seed: none is anybody's. */
export function makeSecretForms(seed: number): SecretForm[] {
  const noise = createNoise(seed);
  return [
    ...providerForms(noise),
    ...fileForms(noise),
    ...sentenceForms(noise),
    ...addressForms(noise),
    ...codeForms(noise),
    ...knownValueForms(noise),
    ...commandForms(noise),
  ];
}

function providerForms(noise: Noise): SecretForm[] {
  const uuid = (): string => [8, 4, 4, 4, 12].map((length) => noise(length, HEX)).join('-');
  const keys: [name: string, secret: string][] = [
    ['OpenAI', `sk-proj-${noise(48)}`],
    ['OpenAI, old', `sk-${noise(48)}`],
    ['Anthropic', `sk-ant-api03-${noise(80)}`],
    ['OpenRouter', `sk-or-v1-${noise(64, HEX)}`],
    ['DeepSeek', `sk-${noise(32, HEX)}`],
    ['Groq', `gsk_${noise(52)}`],
    ['xAI', `xai-${noise(80)}`],
    ['Perplexity', `pplx-${noise(48)}`],
    ['NVIDIA', `nvapi-${noise(64)}`],
    ['Replicate', `r8_${noise(37)}`],
    ['Tavily', `tvly-dev-${noise(32)}`],
    ['Fireworks', `fw_${noise(40)}`],
    ['E2B', `e2b_${noise(40, HEX)}`],
    ['LangSmith', `lsv2_pt_${noise(32, HEX)}_${noise(10, HEX)}`],
    ['Langfuse', `sk-lf-${uuid()}`],
    ['Pinecone', `pcsk_${noise(60)}`],
    ['Hugging Face', `hf_${noise(34)}`],
    ['Thinking Machines', `tml-${noise(40)}`],
    ['ours', `lch_${noise(12, HEX)}_${noise(43)}`],
    ['GitHub', `ghp_${noise(36)}`],
    ['GitHub app', `ghs_${noise(36)}`],
    ['GitHub, fine-grained', `github_pat_${noise(22)}_${noise(59)}`],
    ['GitLab', `glpat-${noise(20)}`],
    ['GitLab runner', `glrt-${noise(20)}`],
    ['AWS key id', `AKIA${noise(16, UPPER)}`],
    ['AWS temporary', `ASIA${noise(16, UPPER)}`],
    ['Google', `AIza${noise(35)}`],
    ['Google OAuth', `ya29.${noise(60)}`],
    ['Google client', `GOCSPX-${noise(28)}`],
    ['Azure client', `${noise(3)}8Q~${noise(34)}`],
    ['Slack bot', `xoxb-${noise(12, DIGITS)}-${noise(13, DIGITS)}-${noise(24)}`],
    ['Slack app', `xapp-1-${noise(11, UPPER)}-${noise(13, DIGITS)}-${noise(64, HEX)}`],
    ['Stripe', `sk_live_${noise(24)}`],
    ['Stripe webhook', `whsec_${noise(32)}`],
    ['Shopify', `shpat_${noise(32, HEX)}`],
    ['SendGrid', `SG.${noise(22)}.${noise(43)}`],
    ['Twilio', `SK${noise(32, HEX)}`],
    ['Mailgun', `key-${noise(32, HEX)}`],
    ['Brevo', `xkeysib-${noise(64, HEX)}-${noise(16)}`],
    ['npm', `npm_${noise(36)}`],
    ['PyPI', `pypi-AgEIcHlwaS5vcmc${noise(60)}`],
    ['RubyGems', `rubygems_${noise(48, HEX)}`],
    ['Docker Hub', `dckr_pat_${noise(27)}`],
    ['DigitalOcean', `dop_v1_${noise(64, HEX)}`],
    ['Databricks', `dapi${noise(32, HEX)}`],
    ['Linear', `lin_api_${noise(40)}`],
    ['Notion', `ntn_${noise(46)}`],
    ['Vault', `hvs.${noise(90)}`],
    ['Vault, old', `s.${noise(24)}`],
    ['Doppler', `dp.pt.${noise(43)}`],
    ['Supabase', `sbp_${noise(40, HEX)}`],
    ['New Relic', `NRAK-${noise(27, UPPER)}`],
    ['Postman', `PMAK-${noise(24, HEX)}-${noise(34, HEX)}`],
    ['Grafana', `glsa_${noise(32)}_${noise(8, HEX)}`],
    ['Sentry', `sntryu_${noise(64, HEX)}`],
    ['Pulumi', `pul-${noise(40, HEX)}`],
    ['PlanetScale', `pscale_tkn_${noise(43)}`],
    ['Tailscale', `tskey-auth-k${noise(10)}CNTRL-${noise(32)}`],
    ['Figma', `figd_${noise(43)}`],
    ['Atlassian', `ATATT3xFfGF0${noise(180)}`],
    ['Telegram', `${noise(10, '123456789')}:AA${noise(33)}`],
    ['Discord', `M${noise(25)}.${noise(6)}.${noise(38)}`],
    ['age', `AGE-SECRET-KEY-1${noise(58, UPPER)}`],
    ['a JWT', `eyJ${noise(20)}.eyJ${noise(60)}.${noise(43)}`],
    ['noise', noise(40)],
    ['noise in base64', `${noise(20)}/${noise(11)}+${noise(10)}==`],
    ['a hash of a password', `$2b$12$${noise(53)}`],
    ['a hash of /etc/shadow', `$6$${noise(16)}$${noise(86)}`],
    ['a canary', `lachesis-canary-${noise(12)}`],
  ];
  const before = ['I used', 'please try', 'it printed', 'found', 'key is'];
  return keys.map(([name, secret], at) => ({
    group: 'provider',
    name,
    text: `${before[at % before.length]} ${secret} for this call`,
    secret,
  }));
}

function fileForms(noise: Noise): SecretForm[] {
  const form = (name: string, secret: string, write: (secret: string) => string): SecretForm => ({
    group: 'file',
    name,
    text: write(secret),
    secret,
  });
  const pem = (kind: string): ((key: string) => string) => {
    return (key) => `-----BEGIN ${kind}-----\n${key}\n${noise(64)}\n-----END ${kind}-----`;
  };
  return [
    form('.netrc in a line', password(noise), (word) => `machine api.example.com login ann password ${word}`),
    form('.netrc in lines', password(noise), (word) => `machine api.example.com\n  login ann\n  password ${word}\n`),
    form('.pgpass', password(noise), (word) => `# host:port\ndb.example.com:5432:app:ann:${word}\n`),
    form('.git-credentials', noise(40, HEX), (word) => `https://ann:${word}@git.example.com`),
    form('.npmrc', noise(36, HEX), (word) => `//registry.example.com/:_authToken=${word}`),
    form('.npmrc _auth', Buffer.from(`ann:${password(noise)}`).toString('base64'), (word) => `_auth=${word}`),
    form('.pypirc', password(noise), (word) => `[pypi]\nusername = ann\npassword = ${word}\n`),
    form('.env', noise(20), (word) => `PORT=8080\nSTRIPE_SECRET=${word}\nDEBUG=1\n`),
    form('.env with a word', `correct${noise(6, LOWER)}`, (word) => `DB_HOST=db\nDB_PASSWORD=${word}\nDB_USER=ann\n`),
    form('.env in quotes', `two words ${noise(6)}`, (word) => `DB_PASSWORD="${word}"\n`),
    form('.env with signs', `p@ss,w0rd;${noise(5)}`, (word) => `export SMTP_PASSWORD=${word}\n`),
    form('YAML', password(noise), (word) => `database:\n  user: ann\n  password: ${word}\n  port: 5432\n`),
    form('YAML in quotes', `Winter ${noise(5)}`, (word) => `smtp:\n  password: "${word}"\n`),
    form('YAML block', noise(24), (word) => `stringData:\n  api_key: |\n    ${word}\n`),
    form('TOML', password(noise), (word) => `[server]\nsecret_key = "${word}"\n`),
    form('INI', password(noise), (word) => `[client]\nuser=root\npassword=${word}\n`),
    form('JSON', `a phrase ${noise(5)}`, (word) => JSON.stringify({ user: 'ann', password: word })),
    form('JSON in JSON', password(noise), (word) => JSON.stringify({ body: JSON.stringify({ client_secret: word }) })),
    form('JSON, three deep', password(noise), (word) =>
      JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ access_token: word }) }) }),
    ),
    form('properties', password(noise), (word) => `spring.datasource.password=${word}\n`),
    form('XML', password(noise), (word) => `<server><username>ann</username><password>${word}</password></server>`),
    form('web.config', password(noise), (word) => `<add key="SmtpPassword" value="${word}"/>`),
    form('Terraform', password(noise), (word) => `variable "x" {}\nmaster_password = "${word}"\n`),
    form('Terraform state', password(noise), (word) => `"attributes": {"password": "${word}", "port": 5432}`),
    form('kubeconfig token', noise(40), (word) => `users:\n- name: me\n  user:\n    token: ${word}\n`),
    form(
      'kubeconfig key',
      `LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ${noise(80)}`,
      (word) => `    client-key-data: ${word}\n`,
    ),
    form(
      'Kubernetes secret',
      Buffer.from(password(noise)).toString('base64'),
      (word) => `kind: Secret\ndata:\n  password: ${word}\n`,
    ),
    form(
      'docker config',
      Buffer.from(`ann:${password(noise)}`).toString('base64'),
      (word) => `{"auths":{"r.example":{"auth":"${word}"}}}`,
    ),
    form(
      'AWS credentials',
      `${noise(20)}/${noise(9)}+${noise(9)}`,
      (word) => `[default]\naws_secret_access_key = ${word}\n`,
    ),
    form('AWS session', noise(200), (word) => `aws_session_token=${word}\n`),
    form('redis.conf', password(noise), (word) => `port 6379\nrequirepass ${word}\n`),
    form('Wi-Fi', password(noise), (word) => `network={\n ssid="home"\n psk="${word}"\n}`),
    form('.htpasswd', `$apr1$${noise(8)}$${noise(22)}`, (word) => `ann:${word}`),
    form('a private key', noise(64), pem('PRIVATE KEY')),
    form('an RSA key', noise(64), pem('RSA PRIVATE KEY')),
    form('an OpenSSH key', noise(64), pem('OPENSSH PRIVATE KEY')),
    form('a PGP key', noise(64), pem('PGP PRIVATE KEY BLOCK')),
    form('a key in JSON', noise(64), (key) => JSON.stringify({ k: pem('PRIVATE KEY')(key) })),
    form('a key cut off', noise(64), (key) => `-----BEGIN EC PRIVATE KEY-----\n${key}\n${noise(30)}`),
    form('compose', password(noise), (word) => `environment:\n  - POSTGRES_PASSWORD=${word}\n`),
    form('Dockerfile', password(noise), (word) => `FROM node\nENV API_SECRET=${word}\nRUN make\n`),
    form('gradle', password(noise), (word) => `storePassword '${word}'`),
    form('maven', password(noise), (word) => `<server>\n  <id>r</id>\n  <password>${word}</password>\n</server>`),
    form('rclone', noise(30), (word) => `[remote]\ntype = sftp\npass = ${word}\n`),
    form('ansible inventory', password(noise), (word) => `host1 ansible_user=ann ansible_password=${word}`),
  ];
}

function sentenceForms(noise: Noise): SecretForm[] {
  const form = (name: string, write: (secret: string) => string, secret = password(noise)): SecretForm => ({
    group: 'sentence',
    name,
    text: write(secret),
    secret,
  });
  return [
    form('the password is', (word) => `The password is ${word}, please log in.`),
    form('my password is', (word) => `my password is ${word}`),
    form('password was', (word) => `The old password was ${word}. Change it.`),
    form('password for', (word) => `the password for root is ${word}`),
    form('in quotes, a word', (word) => `the password is "${word}"`, `sword${noise(5, LOWER)}`),
    form('password:', (word) => `Password: ${word}`),
    form('password after a dash', (word) => `user admin, password ${word}, host db1`),
    form('user and password', (word) => `log in as admin with password ${word} and look`),
    form('credentials with a slash', (word) => `credentials: admin / ${word}`),
    form('login with a colon', (word) => `use the login admin:${word} there`),
    form('passphrase', (word) => `the passphrase is ${word}`),
    form('passcode', (word) => `your passcode is ${word}.`),
    form('API key is', (word) => `the api key is ${word} I think`, noise(24)),
    form('token is', (word) => `ok, the token is ${word}`, noise(20)),
    form('secret in a sentence', (word) => `the client secret is ${word}.`, noise(30)),
    form(
      'AWS secret in a sentence',
      (word) => `my AWS secret is ${word} and the region is eu-west-1`,
      `${noise(18)}/${noise(10)}+${noise(10)}`,
    ),
    form('AWS secret, bare', (word) => `try ${word} with it`, `wJalr${noise(12)}/K7MDENG/${noise(14)}`),
    form('set to', (word) => `I changed the password to ${word} today`),
    form('German', (word) => `Das Passwort ist ${word}, bitte ändern.`),
    form('German with a colon', (word) => `Kennwort: ${word}`),
    form('French', (word) => `Le mot de passe est ${word}`),
    form('Spanish', (word) => `La contraseña es ${word}`),
    form('prompt', (word) => `$ ssh root@host\nroot@host's password: ${word}\n`),
    form(
      'seed phrase',
      (words) => `seed phrase: ${words}`,
      Array.from({ length: 12 }, () => noise(5, LOWER)).join(' '),
    ),
    form('again in the text', (word) => `password = "${word}"\nlater it says ${word} again`),
  ];
}
