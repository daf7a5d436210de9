// Parts of forms: a field with label and hint, a button for one action, and a button that asks for confirmation before
// an irreversible action. All work without a script.

import { type Child, cloneElement, createContext, isValidElement, type JSXNode, useContext } from 'hono/jsx'
import { LIMITS } from '../../../shared/kernel/limits.ts'

/** The errors of a form that is shown again, by field name. */
export const Misfits = createContext<Readonly<Record<string, string>>>({})

export const Field = ({
  label,
  hint,
  children,
}: {
  label: string
  hint?: string | undefined
  children: Child
}) => {
  const misfits = useContext(Misfits)
  const wrong = misfits[nameOf(children) ?? '']
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label>
      <span class="label">{label}</span>
      {wrong === undefined ? children : marked(children, Object.keys(misfits)[0])}
      {wrong !== undefined && (
        <span class="wrong" id={`wrong-${nameOf(children)}`}>
          {wrong}
        </span>
      )}
      {hint && <span class="dim hint">{hint}</span>}
    </label>
  )
}

/** A password that somebody makes up. */
export const NewPassword = ({ label, name, hint = '' }: { label: string; name: string; hint?: string }) => (
  <Field label={label} hint={`At least ${LIMITS.password_characters.min} characters. ${hint}`.trim()}>
    <input
      name={name}
      type="password"
      required
      minlength={LIMITS.password_characters.min}
      autocomplete="new-password"
    />
  </Field>
)

const isControl = (child: Child): child is JSXNode =>
  isValidElement(child) && typeof (child as JSXNode).props.name === 'string'

const childrenOf = (children: Child): Child[] => (Array.isArray(children) ? children : [children])

/** The name of the control inside a field. */
const nameOf = (children: Child): string | undefined => childrenOf(children).find(isControl)?.props.name

/** Marks a control as invalid and links it to its error; the first invalid control gets the focus. */
const marked = (children: Child, first: string | undefined): Child =>
  childrenOf(children).map(child =>
    isControl(child)
      ? cloneElement(child, {
          'aria-invalid': 'true',
          'aria-describedby': `wrong-${child.props.name}`,
          autofocus: child.props.name === first,
        })
      : child,
  )

/** Shown once on a page that the member may see but not change. */
export const RoleRequired = ({ least }: { least: 'operator' | 'owner' }) => (
  <p class="dim">{least === 'owner' ? 'Owner' : 'Operator'} role required to change anything here.</p>
)

/** A button for an action without fields. */
export const Press = ({ label, action }: { label: string; action: string }) => (
  <form method="post" action={action}>
    <button>{label}</button>
  </form>
)

interface SureProps {
  /** The action, as a verb. */
  label: string
  /** The consequence of the action. */
  consequence: string
  action: string
  children?: Child
}

/** A button that opens to say what will happen; only the button inside does it. */
export const Sure = ({ label, consequence, action, children }: SureProps) => (
  <details class="sure">
    <summary class="button">{label}</summary>
    <form method="post" action={action} class="card">
      <p>{consequence}</p>
      {children}
      <button class="danger">{label}</button>
    </form>
  </details>
)
