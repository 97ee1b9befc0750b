/** pass@k by looking at every choice of `k` samples: slow, and nothing in it can be wrong by a formula. */
export function enumerateChoices({ isRight, k }: { isRight: readonly boolean[]; k: number }): number {
  let [all, passing] = [0, 0];
  const choose = (from: number, left: number, hasRight: boolean): void => {
    if (left === 0) {
      all += 1;
      if (hasRight) passing += 1;
      return;
    }
    for (let place = from; place <= isRight.length - left; place += 1)
      choose(place + 1, left - 1, hasRight || isRight[place] === true);
  };
  choose(0, k, false);
  return passing / all;
}
