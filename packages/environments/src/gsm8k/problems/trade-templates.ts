import { type ProblemTemplate, calculate, capitalise, drawPeople, drawPerson, sayTimes } from './problem-template.ts';

/** Buying, selling, saving. */
export const tradeTemplates: readonly ProblemTemplate[] = [
  (random) => {
    const { name, they } = drawPerson(random);
    const [thing, things] = random.pick([
      ['notebook', 'notebooks'],
      ['candle', 'candles'],
      ['mug', 'mugs'],
      ['scarf', 'scarves'],
    ] as const);
    const [count, price] = [random.integer(3, 9), random.integer(2, 7)];
    const cost = count * price;
    const paid = [20, 50, 100].find((bill) => bill > cost) ?? 100;
    const change = paid - cost;
    const question = random.pick([
      `${name} buys ${count} ${things} at $${price} each and pays with a $${paid} bill. How many dollars does ${they} get back?`,
      `One ${thing} costs $${price}. If ${name} takes ${count} of them to the till and hands over $${paid}, how much change, in dollars, is due?`,
    ]);
    return {
      question,
      steps: [
        `The ${things} cost ${calculate(`${count}*${price}`, cost)} dollars.`,
        `The change is ${calculate(`${paid}-${cost}`, change)} dollars.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [made, kept, price] = [random.integer(24, 60), random.integer(4, 12), random.integer(2, 6)];
    const goods = random.pick(['jars of honey', 'loaves of bread', 'bars of soap', 'bunches of radishes'] as const);
    const [sold, earned] = [made - kept, (made - kept) * price];
    return {
      question: `On market day ${name} brings ${made} ${goods}. ${capitalise(they)} puts ${kept} aside for friends and sells all the others for $${price} each. How much money does ${they} take in?`,
      steps: [
        `${name} sells ${calculate(`${made}-${kept}`, sold)} of them.`,
        `That brings ${calculate(`${sold}*${price}`, earned)} dollars.`,
      ],
    };
  },
  (random) => {
    const { name, they, their } = drawPerson(random);
    const [weekly, spent, weeks] = [random.integer(12, 30), random.integer(3, 9), random.integer(5, 14)];
    const [saved, total] = [weekly - spent, (weekly - spent) * weeks];
    const question = random.pick([
      `${name} is given $${weekly} every week and spends $${spent} of it on the bus. After ${weeks} weeks, how many dollars has ${they} put away?`,
      `Out of a weekly allowance of $${weekly}, ${name} uses $${spent} for snacks and drops the rest in ${their} savings tin. What is in the tin after ${weeks} weeks, in dollars?`,
    ]);
    return {
      question,
      steps: [
        `Each week ${calculate(`${weekly}-${spent}`, saved)} dollars are saved.`,
        `Over ${weeks} weeks that is ${calculate(`${saved}*${weeks}`, total)} dollars.`,
      ],
    };
  },
  (random) => {
    const { name } = drawPerson(random);
    const [price, percent] = [random.integer(2, 12) * 20, random.pick([10, 15, 20, 25, 30, 40] as const)];
    const off = (price * percent) / 100;
    const thing = random.pick(['a bicycle helmet', 'a winter coat', 'a guitar', 'a tent', 'a desk lamp'] as const);
    return {
      question: `The tag on ${thing} says $${price}, but everything in the shop is ${percent}% off today. What does ${name} pay for it, in dollars?`,
      steps: [
        `The discount is ${calculate(`${price}*${percent}/100`, off)} dollars.`,
        `${name} pays ${calculate(`${price}-${off}`, price - off)} dollars.`,
      ],
    };
  },
  (random) => {
    const [adults, children, adult, child] = [
      random.integer(2, 6),
      random.integer(3, 9),
      random.integer(9, 18),
      random.integer(4, 8),
    ];
    const [a, b] = [adults * adult, children * child];
    const place = random.pick(['the zoo', 'a puppet show', 'the planetarium', 'the swimming pool'] as const);
    return {
      question: `Tickets for ${place} are $${adult} for adults and $${child} for children. A group of ${adults} adults and ${children} children goes in. How many dollars do they pay altogether?`,
      steps: [
        `The adults pay ${calculate(`${adults}*${adult}`, a)} dollars.`,
        `The children pay ${calculate(`${children}*${child}`, b)} dollars.`,
        `Together that is ${calculate(`${a}+${b}`, a + b)} dollars.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [hours, rate, extra, bonus] = [
      random.integer(4, 8),
      random.integer(11, 19),
      random.integer(2, 5),
      random.integer(3, 6),
    ];
    const [base, more] = [hours * rate, extra * (rate + bonus)];
    return {
      question: `${name} earns $${rate} an hour on weekdays and $${bonus} more per hour on Saturdays. Last week ${they} worked ${hours} hours on weekdays and ${extra} hours on Saturday. What did ${they} earn in dollars?`,
      steps: [
        `Weekdays bring ${calculate(`${hours}*${rate}`, base)} dollars.`,
        `On Saturday an hour is worth ${calculate(`${rate}+${bonus}`, rate + bonus)} dollars.`,
        `Saturday brings ${calculate(`${extra}*${rate + bonus}`, more)} dollars.`,
        `Altogether it is ${calculate(`${base}+${more}`, base + more)} dollars.`,
      ],
    };
  },
  (random) => {
    const [first, second] = drawPeople(random, 2);
    const [share, times, gift] = [random.integer(8, 25), random.integer(2, 4), random.integer(3, 9)];
    const [rich, left] = [share * times, share * times - gift];
    return {
      question: `${first?.name} has $${share}. ${second?.name} has ${sayTimes(times)} as much, and then spends $${gift} on a present. How many dollars does ${second?.name} have now?`,
      steps: [
        `${second?.name} starts with ${calculate(`${times}*${share}`, rich)} dollars.`,
        `After the present ${calculate(`${rich}-${gift}`, left)} dollars remain.`,
      ],
    };
  },
  (random) => {
    const { name, they } = drawPerson(random);
    const [packs, perPack, price] = [random.integer(3, 8), random.pick([6, 8, 10, 12] as const), random.integer(1, 3)];
    const cost = packs * random.integer(2, 4);
    const [pieces, income] = [packs * perPack, packs * perPack * price];
    const goods = random.pick(['muffins', 'stickers', 'apples', 'badges'] as const);
    return {
      question: `For the school fair ${name} buys ${packs} boxes of ${perPack} ${goods} and pays $${cost} in all. ${capitalise(they)} sells each of the ${goods} for $${price}. If all are sold, what is the profit in dollars?`,
      steps: [
        `There are ${calculate(`${packs}*${perPack}`, pieces)} ${goods}.`,
        `They bring ${calculate(`${pieces}*${price}`, income)} dollars.`,
        `The profit is ${calculate(`${income}-${cost}`, income - cost)} dollars.`,
      ],
    };
  },
  (random) => {
    const { name, they, their } = drawPerson(random);
    const [goal, start, weekly] = [
      random.integer(8, 15) * 12,
      random.integer(1, 4) * 12,
      random.pick([6, 12] as const),
    ];
    const [missing, weeks] = [goal - start, (goal - start) / weekly];
    return {
      question: `A skateboard costs $${goal}. ${name} already has $${start} and saves $${weekly} a week from ${their} paper round. In how many weeks will ${they} be able to buy it?`,
      steps: [
        `${name} still needs ${calculate(`${goal}-${start}`, missing)} dollars.`,
        `That takes ${calculate(`${missing}/${weekly}`, weeks)} weeks.`,
      ],
    };
  },
  (random) => {
    const [friends, tip] = [random.integer(3, 6), random.integer(2, 5)];
    const each = random.integer(9, 22);
    const bill = friends * (each - tip);
    const withTip = bill + friends * tip;
    return {
      question: `${capitalise(['three', 'four', 'five', 'six'][friends - 3] ?? '')} friends have dinner. The bill is $${bill}, and they add a tip of $${friends * tip}. They split the whole sum evenly. How many dollars does each of them pay?`,
      steps: [
        `With the tip it is ${calculate(`${bill}+${friends * tip}`, withTip)} dollars.`,
        `Each pays ${calculate(`${withTip}/${friends}`, each)} dollars.`,
      ],
    };
  },
];
