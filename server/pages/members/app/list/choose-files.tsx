/** A button that opens files of bots. The same file can be chosen again. */
export function ChooseFiles({ onChoose }: { onChoose: (files: File[]) => void }) {
  return (
    <label class="button main">
      Choose files
      <input
        type="file"
        class="visually-hidden"
        accept=".json,application/json"
        multiple
        onChange={(event) => {
          onChoose([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </label>
  )
}
