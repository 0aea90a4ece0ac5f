#!/usr/bin/env bash
# The script of action.yml: run `assay check`, publish its summary, and pass its result on. Inputs are CHECK_* variables.
set -uo pipefail

command=(assay check "$CHECK_OUTPUTS" --baseline "$CHECK_BASELINE" --margin "$CHECK_MARGIN")
command+=(--junit "$CHECK_JUNIT" --summary "$CHECK_SUMMARY")
[ -z "${CHECK_EXAMPLES:-}" ] || command+=(--examples "$CHECK_EXAMPLES")
[ -z "${CHECK_REFERENCES:-}" ] || command+=(--references "$CHECK_REFERENCES")
read -r -a further <<<"${CHECK_ARGUMENTS:-}"
command+=(${further[@]+"${further[@]}"})

rm -f "$CHECK_SUMMARY" "$CHECK_JUNIT" # a summary of an earlier check must not be published for this one
"${command[@]}"
code=$?
case $code in
0) result=passed ;;
1) result=failed ;;
3) result=inconclusive ;;
*) result=error ;;
esac
# Exit code 1 without a summary: no comparison was made.
[ -s "$CHECK_SUMMARY" ] || result=error

{
    echo "result=$result"
    echo "junit=$CHECK_JUNIT"
    echo "summary=$CHECK_SUMMARY"
} >>"$GITHUB_OUTPUT"

publish_comment() {
    local marker='<!-- assay check -->' number comments id body
    number=$(python -c 'import json, sys; print(json.load(open(sys.argv[1])).get("pull_request", {}).get("number", ""))' \
        "$GITHUB_EVENT_PATH") || return 1
    [ -n "$number" ] || return 0 # not a pull request
    body="$marker"$'\n'"$(cat "$CHECK_SUMMARY")"
    comments="repos/$GITHUB_REPOSITORY/issues/$number/comments"
    id=$(gh api "$comments" --paginate --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | head -n 1)
    if [ -n "$id" ]; then
        gh api "repos/$GITHUB_REPOSITORY/issues/comments/$id" --method PATCH --raw-field body="$body" >/dev/null
    else
        gh api "$comments" --method POST --raw-field body="$body" >/dev/null
    fi
}

if [ -s "$CHECK_SUMMARY" ]; then
    cat "$CHECK_SUMMARY" >>"$GITHUB_STEP_SUMMARY"
    if [ "${CHECK_COMMENT:-false}" = true ]; then
        publish_comment || echo "::warning::The comment could not be written. Grant pull-requests: write to the job."
    fi
fi

case $result in
passed) exit 0 ;;
inconclusive) [ "${CHECK_INCONCLUSIVE:-fail}" = pass ] && exit 0 ;;
esac
[ "$code" -ne 0 ] && exit "$code"
exit 1
