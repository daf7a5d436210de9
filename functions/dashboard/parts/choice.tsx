// A form's select box for a few options.

export const Choice = ({
  name,
  label,
  options,
  chosen,
}: {
  name: string
  label: string
  /** Labels by value. */
  options: Record<string, string>
  chosen: string | undefined
}) => (
  <label>
    <span class="label">{label}</span>
    <select name={name}>
      {Object.entries(options).map(([value, words]) => (
        <option value={value} selected={value === (chosen ?? '')}>
          {words}
        </option>
      ))}
    </select>
  </label>
)
