# shellcheck shell=bash disable=SC2154  # out, cuda and failed are those of the script that reads this
# Sourced by tests/gpu/run: compute-sanitizer's four tools over the suite, and a table of what each found.
# Leaves out what a tool cannot judge: tests that lose the context on purpose, the program with an intended
# mistake, and tests of kernel durations. Programs that run thousands of times run less often. All findings in
# the kernel `culprit` of `suspects` are planted.
sanitizer=$(command -v compute-sanitizer || echo "$cuda/bin/compute-sanitizer")
tools=(racecheck memcheck initcheck synccheck)
declare -A filters=(
  [launch]='-*DeathTest*'
  [run_recorder]='-*GpuTimesMatchTheKernels'
  [streams_program]='Short/StreamsProgram.FourStreams*:Short/StreamsProgram.ARecordingOfFour*'
)
declare -A planted=([suspects]=culprit)
# Under initcheck the culprit's access to address 16 raises no fault, so the program has nothing to find.
declare -A not_asked=([suspects.initcheck]=1)
# Each block is slow under racecheck, and a few grids have millions.
declare -A most_blocks=([racecheck]=10000)
at_once=6        # all share one device
limit=150        # seconds for one program under one tool
whole=460        # seconds after which no program starts, including the build
found=86         # the tool's exit code for findings

# look NAME TOOL PORT: runs one program under one tool, and writes its cell of the table to NAME.TOOL.cell.
look() {
  local log=$folder/$1.$2.log cell seconds status errors left others failures begun=$SECONDS
  left=$((whole - SECONDS < limit ? whole - SECONDS : limit))
  if ((left < 1)); then echo 'no time' > "${log%.log}.cell"; return; fi
  # The tests make calls fail on purpose; their own result is separate from the tool's findings.
  # Tools that run side by side need different ports.
  WS_TEST_CONFIGURATIONS=2000 WS_TEST_BLOCKS=${most_blocks[$2]-18446744073709551615} WS_TEST_RUNS=8 WS_TEST_SEEDS=1 \
    timeout --kill-after=5 "$left" \
    "$sanitizer" --tool "$2" --report-api-errors no --check-exit-code no "--error-exitcode" "$found" --print-limit 10000 \
    --port "$3" --max-connections 20 "$out/$1" "--gtest_filter=${filters[$1]-*}" > "$log" 2>&1
  status=$?
  seconds=$((SECONDS - begun))
  errors=$(sed -n -E 's/^=+ (ERROR SUMMARY: ([0-9]+) errors?|RACECHECK SUMMARY: ([0-9]+) hazards? .*)$/\2\3/p' "$log" | tail -n 1)
  if ((status == 124 || status == 137)); then cell="timed out, $seconds s"
  elif [[ -z $errors ]]; then
    cell='no summary'
    ! grep -q 'before first instrumented API call' "$log" || cell='no CUDA call'
  else
    cell="$errors found, $seconds s"
    if ((errors || status == found)) && [[ -n ${planted[$1]-} ]]; then
      others=$(grep -E '^=+ {2,}at ' "$log" | grep -cv " at ${planted[$1]}(")
      ((others)) || cell="$errors planted, $seconds s"
    fi
    failures=$(sed -n -E 's/^ *([0-9]+) FAILED TESTS?$/\1/p' "$log")
    [[ -z $failures ]] || cell+=", $failures failed"
    grep -q '^\[==========\] .* ran[.]' "$log" || cell+=', cut short'
  fi
  echo "$cell" > "${log%.log}.cell"
}

# sanitize NAME...: runs all programs under all tools, in reverse order, because the last programs are the
# slow ones. Adds findings to `failed`.
sanitize() {
  local folder=$out/sanitize name tool port=49152 cell of i dirty=()
  [[ -x $sanitizer ]] || { echo "no compute-sanitizer on PATH or in $cuda/bin"; exit 1; }
  if "$out/launch" '--gtest_filter=*AHostPointer*' 2>&1 | grep 'needs a GPU'; then
    echo '== skipped'
    return
  fi
  rm -rf "$folder" && mkdir -p "$folder"
  echo "== $("$sanitizer" --version | tail -n 1): ${tools[*]}"
  for tool in "${tools[@]}"; do
    for ((i = $#; i > 0; --i)); do
      name=${!i}
      if [[ -n ${not_asked[$name.$tool]-} ]]; then echo 'not asked' > "$folder/$name.$tool.cell"; continue; fi
      if [[ ! -x $out/$name ]]; then echo 'not built' > "$folder/$name.$tool.cell"; continue; fi
      while (($(jobs -rp | wc -l) >= at_once)); do wait -n; done
      look "$name" "$tool" "$port" &
      port=$((port + 20))
    done
  done
  wait
  printf '%-17s' program
  printf ' %-25s' "${tools[@]}"
  echo
  for name in "$@"; do
    printf '%-17s' "$name"
    for tool in "${tools[@]}"; do
      cell=$(cat "$folder/$name.$tool.cell")
      printf ' %-25s' "$cell"
      [[ $cell == 'not asked' || $cell =~ ^(0\ found|[0-9]+\ planted),\ [0-9]+\ s$ ]] || dirty+=("$name.$tool")
    done
    echo
  done
  for of in "${dirty[@]}"; do
    cell=$(cat "$folder/$of.cell")
    failed+=("$of: $cell")
    echo "== $of: $cell"
    grep -hE '^=+ |^\[  FAILED  \]|: error' "$folder/$of.log" "$out/${of%%.*}.build.log" 2> /dev/null | sed -n '1,16p' | cut -c 1-160
  done
}
