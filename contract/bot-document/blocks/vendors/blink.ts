import { apiKeyData } from '../../../credential-data.ts'
import { flag, phrase, url } from '../../fields.ts'
import { anyValue, bearer, keyProbe, pick, pickList, responseMapping, vendor } from './vendor.ts'

/** Properties of users by the item that stores them. */
const userItems: Record<string, string> = {
  Emails: 'email',
  'Company Names': 'company_name',
  'First Names': 'first_name',
  'Second Names': 'second_name',
  'Display Names': 'display_name',
  Initials: 'initials',
  'Job Titles': 'job_title',
  'Profile Photo IDs': 'profile_photo_id',
  Timezones: 'timezone',
  'Manager IDs': 'manager_id',
  'Department Names': 'department_name',
  'Account Statuses': 'account_status',
  'Employee IDs': 'employee_id',
  'User IDs': 'id',
}

/** One user gives a text, several give a list. */
const oneOrAll = (values: unknown[]) => (values.length === 1 ? values[0] : values)

export const blink = vendor({
  type: 'blink',
  prefix: 'Blink',
  title: 'Blink',
  base: 'https://api.joinblink.com/v2',
  probes: keyProbe('/user?userId=00000000-0000-0000-0000-000000000000'),
  credentials: apiKeyData,
  exampleCredentials: { apiKey: 'blink-example' },
  options: {
    filter: anyValue('With action Get Users: users by User ID or by Employee ID.', {
      type: 'User ID',
      userId: 'u1',
    }),
    categoryId: phrase('With action Send Feed Event: id of the category.', 'cat_news').optional(),
    ribbonColor: phrase('With action Send Feed Event: colour of the ribbon.', '#ff5924').optional(),
    sections: anyValue('With action Send Feed Event: the content.', [{ type: 'Text', value: 'Hello' }]),
    allowComments: flag('With action Send Feed Event: true if comments are open.').optional(),
    allowReactions: flag('With action Send Feed Event: true if reactions are open.').optional(),
    userIds: anyValue('With action Send Feed Event: users who receive it.', ['u1']),
    groupIds: anyValue('With action Send Feed Event: groups that receive it.', ['g1']),
    pushNotification: anyValue('With action Send Feed Event: its push notification.', {
      title: 'News',
    }),
    url: url('With action Redirect: address to open.', 'https://www.example.com').optional(),
    responseMapping: responseMapping(
      `With action Get Users: ${Object.keys(userItems).join(', ')}. With action Send Feed Event: Event ID.`,
    ),
  },
  actions: {
    'Get Users': {
      required: { filter: 'No filter provided' },
      context: 'While searching Blink users',
      request: ({ options: { filter }, credentials }) => {
        const isEmployee = pick(filter, 'type') === 'Employee ID'
        const id = pick(filter, isEmployee ? 'employeeId' : 'userId')
        if (typeof id !== 'string' || id === '') return { status: 'error', description: 'No filter provided' }
        return {
          method: 'GET',
          path: '/user',
          query: { [isEmployee ? 'employeeId' : 'userId']: id },
          headers: bearer(credentials.apiKey),
        }
      },
      read: (body) => {
        const users = pickList(body, 'data')
        const entries = Object.entries(userItems).map(([item, key]) => [
          item,
          oneOrAll(users.map((user) => pick(user, key) ?? null)),
        ])
        return { items: Object.fromEntries(entries) }
      },
      example: {
        options: { filter: { type: 'Employee ID', employeeId: 'e 1' } },
        request: {
          method: 'GET',
          path: '/user?employeeId=e+1',
          headers: { authorization: 'Bearer blink-example' },
        },
        response: { data: [{ id: 'u1', email: 'ada@example.com' }] },
        savedValues: { Emails: 'ada@example.com', 'User IDs': 'u1' },
      },
    },
    'Send Feed Event': {
      items: ['Event ID'],
      required: {
        categoryId: 'Blink: no event was sent, since categoryId is empty',
        sections: 'Blink: no event was sent, since there are no sections',
      },
      context: 'While sending Blink feed event',
    },
    Redirect: { canRunWithoutCredentials: true, required: { url: 'Blink: the block has no url to open' } },
  },
})
