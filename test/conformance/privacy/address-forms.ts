import { Buffer } from 'node:buffer';
import { HEX, password, UPPER, type Noise, type SecretForm } from './secret-form.ts';

export function addressForms(noise: Noise): SecretForm[] {
  const form = (
    group: SecretForm['group'],
    name: string,
    secret: string,
    write: (secret: string) => string,
  ): SecretForm => ({ group, name, text: write(secret), secret });
  return [
    form('address', 'postgres', password(noise), (word) => `postgres://ann:${word}@db.example:5432/app`),
    form('address', 'mysql', password(noise), (word) => `mysql+pymysql://root:${word}@127.0.0.1/app`),
    form(
      'address',
      'mongodb',
      password(noise),
      (word) => `mongodb+srv://ann:${word}@cluster0.example.net/?retryWrites=true`,
    ),
    form('address', 'redis', password(noise), (word) => `redis://:${word}@cache:6379/0`),
    form('address', 'amqp', password(noise), (word) => `amqps://ann:${word}@mq.example/vhost`),
    form('address', 'basic', password(noise), (word) => `https://ann:${word}@example.com/x`),
    form('address', 'a token alone', noise(40, HEX), (word) => `git clone https://${word}@git.example.com/a/b.git`),
    form('address', 'oauth2', noise(20), (word) => `https://oauth2:${word}@gitlab.example/x.git`),
    form('address', 'ftp', password(noise), (word) => `ftp://ann:${word}@files.example/`),
    form('address', 'smtp', password(noise), (word) => `smtps://mail%40example.com:${word}@smtp.example:465`),
    form('address', 'query api_key', noise(20, HEX), (word) => `https://api.example/v1?api_key=a1${word}&page=2`),
    form(
      'address',
      'query access_token',
      noise(40),
      (word) => `https://api.example/cb#access_token=${word}&type=bearer`,
    ),
    form('address', 'query key', noise(32), (word) => `https://maps.example/js?key=${word}`),
    form('address', 'SAS', `${noise(20)}%2B${noise(20)}%3D`, (word) => `https://a.blob.example/c?sv=2024&sig=${word}`),
    form('address', 'presigned', noise(64, HEX), (word) => `https://s3.example/b/k?X-Amz-Signature=${word}`),
    form(
      'address',
      'connection string',
      password(noise),
      (word) => `Server=db;Database=app;User Id=ann;Password=${word};Encrypt=true`,
    ),
    form(
      'address',
      'storage account',
      `${noise(86)}==`,
      (word) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${word};EndpointSuffix=x`,
    ),
    form('address', 'libpq', password(noise), (word) => `host=db user=ann password=${word} dbname=app`),
    form('address', 'JDBC', password(noise), (word) => `jdbc:postgresql://db/app?user=ann&password=${word}`),
    form(
      'address',
      'Slack webhook',
      `T${noise(8, UPPER)}/B${noise(8, UPPER)}/${noise(24)}`,
      (word) => `https://hooks.slack.com/services/${word}`,
    ),
    form(
      'address',
      'Discord webhook',
      `${noise(18, '123456789')}/${noise(60)}`,
      (word) => `https://discord.com/api/webhooks/${word}`,
    ),
    form('address', 'Sentry', noise(32, HEX), (word) => `SENTRY_DSN=https://${word}@o1.ingest.example/2`),
    form('header', 'bearer', noise(24), (word) => `Authorization: Bearer ${word}`),
    form(
      'header',
      'basic',
      Buffer.from(`ann:${password(noise)}`).toString('base64'),
      (word) => `Authorization: Basic ${word}`,
    ),
    form('header', 'token', noise(40, HEX), (word) => `Authorization: token ${word}`),
    form('header', 'x-api-key', noise(20), (word) => `x-api-key: ${word}`),
    form('header', 'private token', noise(20), (word) => `PRIVATE-TOKEN: ${word}`),
    form('header', 'vault token', noise(26), (word) => `X-Vault-Token: ${word}`),
    form('header', 'cookie', noise(22), (word) => `Cookie: theme=dark; sid=${word}`),
    form('header', 'set-cookie', noise(22), (word) => `Set-Cookie: session=${word}; Path=/; HttpOnly`),
    form(
      'header',
      'in a curl line',
      noise(24),
      (word) => `curl -H "Authorization: Bearer ${word}" https://api.example`,
    ),
    form('header', 'proxy', noise(24), (word) => `Proxy-Authorization: Basic ${word}9`),
    form('header', 'CSRF', noise(32), (word) => `X-CSRF-Token: ${word}`),
  ];
}

export function codeForms(noise: Noise): SecretForm[] {
  const form = (name: string, write: (secret: string) => string, secret = password(noise)): SecretForm => ({
    group: 'code',
    name,
    text: write(secret),
    secret,
  });
  return [
    form('a constant', (word) => `const apiKey = "${word}";`, noise(24)),
    form('Python', (word) => `API_KEY = '${word}'`, noise(24)),
    form('Python with a type', (word) => `password: str = "${word}"`),
    form('an f-string', (word) => `client = Client(api_key=f"${word}")`, noise(24)),
    form('a keyword argument', (word) => `connect(host="db", user="ann", password="${word}")`),
    form('os.environ', (word) => `os.environ["OPENAI_API_KEY"] = "${word}"`, noise(24)),
    form('process.env', (word) => `process.env.GITHUB_TOKEN = '${word}'`, noise(24)),
    form('an object', (word) => `{ host: 'db', password: '${word}', port: 1 }`),
    form('a Ruby hash', (word) => `:password => "${word}",`),
    form('PHP', (word) => `$password = '${word}';`),
    form('Go', (word) => `clientSecret := "${word}"`),
    form('C#', (word) => `new NetworkCredential("ann", "${word}")`),
    form('requests', (word) => `requests.get(url, auth=("ann", "${word}"))`),
    form('smtplib', (word) => `server.login("ann@example.com", "${word}")`),
    form('a comparison', (word) => `if password == "${word}":`),
    form('SQL user', (word) => `CREATE USER ann WITH PASSWORD '${word}';`),
    form('SQL identified', (word) => `CREATE USER 'ann'@'%' IDENTIFIED BY '${word}';`),
    form('SQL alter', (word) => `ALTER ROLE ann PASSWORD '${word}'`),
    form('SQL Server login', (word) => `CREATE LOGIN ann WITH PASSWORD = N'${word}';`),
    form('PowerShell', (word) => `ConvertTo-SecureString "${word}" -AsPlainText -Force`),
    form('a list of words', (word) => `subprocess.run(["mysql", "-u", "root", "-p${word}", "app"])`),
    form('a list with an option', (word) => `["curl", "-u", "ann:${word}", "https://x.example"]`),
  ];
}
