# shellcheck shell=bash
# Sourced by tests/gpu/run: combines the programs' reports into one JUnit file and one table. Until then each
# program's part is PART/NAME.xml, in GoogleTest's layout.

# junit_case PART NAME CASE OUTCOME [WORDS]: adds a result that no GoogleTest reports. OUTCOME is passed,
# skipped or failure.
junit_case() {
  local inner=''
  [[ $4 == passed ]] || inner="<$4 message=\"${5-}\"/>"
  {
    echo "  <testsuite name=\"$3\" tests=\"1\" failures=\"$([[ $4 == failure ]] && echo 1 || echo 0)\" disabled=\"0\"" \
      "skipped=\"$([[ $4 == skipped ]] && echo 1 || echo 0)\" errors=\"0\" time=\"0\">"
    echo "    <testcase name=\"$3\" classname=\"$3\" time=\"0\">$inner</testcase>"
    echo "  </testsuite>"
  } >> "$1/$2.xml"
}

# junit_table PART FILE NAME=MILLISECONDS...: writes FILE from the parts, and the table to stdout.
junit_table() {
  local part=$1 file=$2 run name
  shift 2
  {
    echo '<?xml version="1.0" encoding="UTF-8"?>'
    echo '<testsuites name="tests/gpu">'
    for run in "$@"; do
      name=${run%=*}
      sed -e '/^<?xml/d; /^<\/\{0,1\}testsuites/d' \
        -e "s/^  <testsuite name=\"/&$name./; s/^\\(    <testcase .*classname=\"\\)/\\1$name./" "$part/$name.xml"
    done
    echo '</testsuites>'
  } > "$file"
  printf '%-17s %6s %7s %8s %7s %8s\n' program tests passed skipped failed seconds
  for run in "$@"; do
    awk -v "name=${run%=*}" -v "ms=${run#*=}" '
      function of(attribute) {
        return match($0, " " attribute "=\"[0-9]+") ? substr($0, RSTART + length(attribute) + 3, RLENGTH - length(attribute) - 3) : 0
      }
      /^  <testsuite / {
        tests += of("tests"); skipped += of("skipped") + of("disabled"); failed += of("failures") + of("errors")
      }
      END { printf "%-17s %6d %7d %8d %7d %8.1f\n", name, tests, tests - skipped - failed, skipped, failed, ms / 1000 }
    ' "$part/${run%=*}.xml"
  done
}
