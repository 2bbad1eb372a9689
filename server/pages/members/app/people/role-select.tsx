import type { MemberList } from '../../../../../generated/client/index.js'

export type Role = MemberList['members'][number]['role']

const roles: Record<Role, string> = {
  ADMIN: 'Admin',
  MEMBER: 'Member',
  GUEST: 'Guest (reads only)',
}

export function RoleSelect(props: {
  label: string
  role: Role
  isDisabled?: boolean
  onChange: (role: Role) => void
}) {
  return (
    <select
      aria-label={props.label}
      value={props.role}
      disabled={props.isDisabled}
      onChange={(event) => props.onChange(event.currentTarget.value as Role)}
    >
      {Object.entries(roles).map(([role, name]) => (
        <option key={role} value={role}>
          {name}
        </option>
      ))}
    </select>
  )
}
