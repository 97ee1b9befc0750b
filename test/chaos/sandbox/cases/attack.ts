/**
 * One thing that code in a sandbox must not be able to do. The script gets the canaries by name in its environment and prints
 * ESCAPED when it reached one; printing the canary's content counts as well, and so does a canary that changed.
 */
export interface Attack {
  readonly name: string;
  readonly area: 'files' | 'proc' | 'privilege' | 'kernel' | 'network' | 'neighbour';
  readonly script: string;
  /** It looks at how our own sandbox shows the system, which an image or another machine does in its own way. */
  readonly view?: 'ours';
}

/** Python that makes one raw system call and says ESCAPED when the kernel did it. */
export function callKernel(numbers: { x64: number; arm64: number }, args: string, prelude = ''): string {
  const number = process.arch === 'arm64' ? numbers.arm64 : numbers.x64;
  return `python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
${prelude}
if libc.syscall(${[String(number), args].filter((each) => each !== '').join(', ')}) >= 0: print('ESCAPED')
else: print('refused', os.strerror(ctypes.get_errno()))
END`;
}

/** Shell: ESCAPED when the command succeeds. */
export function tryCommand(command: string): string {
  return `if { ${command}; } >/tmp/out 2>&1; then echo ESCAPED; fi; head -c 400 /tmp/out`;
}
