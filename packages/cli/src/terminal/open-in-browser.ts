import { spawn } from 'node:child_process';

const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Asks the desktop to open an address. False where there is none, or nothing that opens addresses. */
export async function openInBrowser(
  url: string,
  { platform = process.platform, env = process.env, start = spawn } = {},
): Promise<boolean> {
  const hasDesktop = platform in OPENERS || (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') !== '';
  if (!hasDesktop) return false;
  const [program, ...given] = OPENERS[platform] ?? ['xdg-open'];
  return await new Promise((resolve) => {
    const child = start(program, [...given, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      // It goes on without us.
      child.unref();
      resolve(true);
    });
  });
}
