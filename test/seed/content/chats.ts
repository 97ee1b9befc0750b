/** What people ask the desk of a shop, a good answer and one that is not. 1042 stands for a number of each chat's own. */
export interface Topic {
  tag: string;
  question: string;
  good: string;
  poor: string;
  /** Asked after the first answer. */
  after?: { question: string; answer: string };
  /** What the model looked up before it answered. */
  lookup?: { tool: string; with: object; found: object };
}

export const TOPICS: readonly Topic[] = [
  {
    tag: 'delivery',
    question: 'Where is order 1042? It was promised for Friday.',
    good: 'Order 1042 left our house on Thursday and is with the carrier in Graz. It reaches you on Monday; I am sorry for the delay.',
    poor: 'Your order is on its way!',
    lookup: { tool: 'find_order', with: { order: 1042 }, found: { order: 1042, state: 'in transit', city: 'Graz' } },
  },
  {
    tag: 'returns',
    question: 'The lamp of order 1042 flickers. Can I send it back without the box?',
    good: 'Yes. Any sturdy box will do. Print the label from your orders page; we pay the way back and refund you within three days.',
    poor: 'Returns need the original packaging.',
    after: {
      question: 'And if I would rather have another one?',
      answer: 'Then choose “exchange” on the same page, and the new lamp leaves today.',
    },
  },
  {
    tag: 'billing',
    question: 'Why was I charged twice for invoice 77-1042?',
    good: 'The second entry is a reservation and not a charge; your bank drops it within two days. I have sent you the confirmation.',
    poor: 'Please contact your bank about that.',
    lookup: { tool: 'list_charges', with: { invoice: '77-1042' }, found: { charged: 1, reserved: 1, amount: 42.5 } },
  },
  {
    tag: 'account',
    question: 'I no longer have the phone that gets my codes. My customer number is 1042.',
    good: 'Use one of the recovery codes from when you signed up, then add the new phone under Security. Have you kept those codes?',
    poor: 'Codes are sent to your phone.',
    after: {
      question: 'No, they are gone too.',
      answer:
        'Then we check who you are by post. I have started it: a letter with a new code is with you in four days.',
    },
  },
  {
    tag: 'products',
    question: 'Does the small kettle, article 1042, fit a 1,000 watt socket?',
    good: 'No. The small kettle takes 1,350 watts. The travel kettle takes 650 and would be fine.',
    poor: 'Yes, all of our kettles do.',
  },
  {
    tag: 'delivery',
    question: 'Can you leave parcel 1042 with the neighbour on the left?',
    good: 'Yes, I have written it to your address: “neighbour on the left”. It holds for everything that leaves from tomorrow on.',
    poor: 'The carrier decides that.',
  },
  {
    tag: 'returns',
    question: 'I bought two shirts as a gift, order 1042. May they be returned after 40 days?',
    good: 'Gifts may come back for 60 days, so you have 20 left. The refund is a voucher unless the buyer asks for money.',
    poor: 'Our returns window is 30 days.',
  },
  {
    tag: 'products',
    question: 'Is the oak table, article 1042, treated with oil or with lacquer?',
    good: 'With oil, a hard wax oil without solvents. It wants a new coat about once a year; the tin is in our care range.',
    poor: 'It is treated for durability.',
  },
];
