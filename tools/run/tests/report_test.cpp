// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors

// Tests the files that warpsafe-run writes for machines and browsers, and --error-exitcode.

#include "shell.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <tuple>

namespace {

using testing::HasSubstr;
using testing::Not;

Ran watched(const std::string& options, const std::string& program,
            const std::string& variables = "") {
  return shell("env " + variables + " LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda " +
               options + " " + program);
}
std::string file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}
/// Evaluates a Python expression about the file, which is `report`.
std::string of_json(const std::string& path, const std::string& expression) {
  return shell(WATCH_PYTHON
               " -c 'import json, sys; report = json.load(open(sys.argv[1])); print((" +
               expression + "))' " + path)
      .out;
}
const std::string failed_calls = WATCH_FAILED_CALLS;
const std::string ends = WATCH_ENDS;
const std::string program = WATCH_PROGRAM;

TEST(Report, TheJsonFollowsItsSchema) {
  const std::string path = testing::TempDir() + "watch_report.json";
  static_cast<void>(watched("--report " + path,
                            failed_calls + " free_twice copy_too_much loop no_memory null_argument "
                                           "no_function unloaded",
                            "RANK=3"));
  EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + path).out, "valid\n");
  EXPECT_EQ(of_json(path, "report[\"rank\"], report[\"end\"]"), "('3', 'exit')\n");
  EXPECT_THAT(of_json(path, "report[\"command\"]"),
              HasSubstr("watch_failed_calls free_twice copy"));
  EXPECT_EQ(
      of_json(path, "[(f[\"kind\"], f[\"subject\"], f[\"count\"]) for f in report[\"findings\"]]"),
      "[('failed call', 'cuMemFree', 1), ('failed call', 'cudaMemcpy', 1), ('failed call', "
      "'cudaSetDevice', 100), ('note', 'cudaMalloc', 1), ('refused launch', "
      "'demo::of_module', 1), ('failed call', 'cuModuleGetFunction', 1), ('refused launch', "
      "'demo::of_module', 1)]\n");
  EXPECT_EQ(of_json(path, "report[\"totals\"]"),
            "{'launches': 2, 'refused': 2, 'faults': 0, 'failed_calls': 103, 'notes': 1, 'errors': "
            "105}\n");
  EXPECT_EQ(of_json(path, "report[\"findings\"][0][\"remedy\"]"),
            "the memory is free already: free it once\n");
  if (shell("command -v addr2line || command -v llvm-addr2line").status == 0) {
    EXPECT_EQ(of_json(path, "report[\"findings\"][0][\"places\"][0][\"file\"].split(\"/\")[-1]"),
              "failed_calls.cpp\n");
  }
}

TEST(Report, APlacesRefusalsAreOneFinding) {
  const std::string path = testing::TempDir() + "watch_report_many.json";
  static_cast<void>(watched("--quiet --report " + path, program + " many good"));
  EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + path).out, "valid\n");
  EXPECT_EQ(of_json(path, "[f[\"count\"] for f in report[\"findings\"]], report[\"kernels\"]"),
            "([100], [{'name': 'demo::axpy', 'launches': 101, 'refused': 100, 'suspect_of_faults': "
            "0, 'last_refusal': 'a grid axis is over its limit'}])\n");
}

TEST(Report, ItIsWrittenHoweverTheProgramEnds) {
  struct Row {
    const char* what;
    const char* end;
  };
  for (const Row& row :
       {Row{"launch", "exit"}, Row{"launch _exit", "_exit"}, Row{"launch segv", "SIGSEGV"},
        Row{"launch abort", "SIGABRT"}, Row{"launch term", "SIGTERM"}, Row{"", "exit"}}) {
    SCOPED_TRACE(row.what);
    const std::string path = testing::TempDir() + "watch_report_end.json";
    std::remove(path.c_str());
    static_cast<void>(watched("--report " + path, ends + ' ' + row.what));
    EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + path).out, "valid\n");
    EXPECT_EQ(of_json(path, "report[\"end\"]"), std::string(row.end) + '\n');
    const std::string page = testing::TempDir() + "watch_report_end.html";
    std::remove(page.c_str());
    static_cast<void>(watched("--report " + page, ends + ' ' + row.what));
    EXPECT_THAT(file(page), HasSubstr("ended by " + std::string(row.end) + "</p>"));
    EXPECT_THAT(file(page), testing::EndsWith("</html>\n"));
  }
  const std::string path = testing::TempDir() + "watch_report_stop.json";
  static_cast<void>(watched("--stop-on-error --report " + path, ends + " refused launch"));
  EXPECT_EQ(of_json(path, "report[\"end\"]"), "stopped\n");
}

TEST(Report, ASchemaThatDoesNotFitIsFound) {
  const std::string path = testing::TempDir() + "watch_report_wrong.json";
  std::ofstream(path) << R"({"format": "warpsafe-run report", "version": 2})";
  const Ran ran = shell(WATCH_CHECK_REPORT " " + path);
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("report.version: 2 is not 1"));
  EXPECT_THAT(ran.out, HasSubstr("report: 'findings' is missing"));
}

TEST(Report, FileNamesHaveProcessHostAndRank) {
  const std::string folder = testing::TempDir() + "watch_names";
  const auto names = [&](const std::string& name, const std::string& variables) {
    shell("rm -rf " + folder + "; mkdir " + folder);
    static_cast<void>(watched("--report " + folder + '/' + name, ends + " launch",
                              "-u RANK -u OMPI_COMM_WORLD_RANK -u PMI_RANK -u PMIX_RANK -u "
                              "SLURM_PROCID " +
                                  variables));
    return shell("ls " + folder).out;
  };
  EXPECT_EQ(names("r%r.json", ""), "r0.json\n");
  EXPECT_EQ(names("r%r.json", "RANK=5"), "r5.json\n");
  EXPECT_EQ(names("r%r.json", "OMPI_COMM_WORLD_RANK=6"), "r6.json\n");
  EXPECT_EQ(names("r%r.json", "PMI_RANK=7"), "r7.json\n");
  EXPECT_EQ(names("r%r.json", "SLURM_PROCID=8"), "r8.json\n");
  EXPECT_EQ(names("r%r.json", "PMIX_RANK=9 SLURM_PROCID=0"), "r9.json\n");
  EXPECT_EQ(names("r%r.json", "RANK=../../x"), "r.._.._x.json\n");
  EXPECT_EQ(names("%h.json", ""),
            shell("uname -n").out.substr(0, shell("uname -n").out.size() - 1) + ".json\n");
  EXPECT_THAT(names("p%p.json", ""), testing::MatchesRegex("p[0-9]+.json\n"));
  EXPECT_EQ(names("100%%_%x.json", ""), "100%_%x.json\n");
  const std::string journal = folder + "/j%r.jsonl";
  static_cast<void>(watched("--journal " + journal + " --timeline " + folder + "/t%r.json",
                            ends + " launch", "RANK=2"));
  EXPECT_THAT(shell("ls " + folder).out, HasSubstr("j2.jsonl\nt2.json\n"));
}

TEST(Report, AnErrorSetsTheStatus) {
  const auto status = [](const std::string& what) {
    return WEXITSTATUS(watched("--quiet --error-exitcode 42", what).status);
  };
  EXPECT_EQ(status(ends + " launch"), 0);
  EXPECT_EQ(status(ends + " refused"), 42);
  EXPECT_EQ(status(ends + " refused _exit"), 42);
  EXPECT_EQ(status(ends + " launch _exit"), 5);
  EXPECT_EQ(status(failed_calls + " free_twice"), 42);
  EXPECT_EQ(status(failed_calls + " ask retry no_memory library_tries"), 0);
  EXPECT_EQ(status(program + " out_of_bounds sync"), 42);
  EXPECT_EQ(status("sh -c 'exit 3'"), 3);
  // The children have no errors, and the program has.
  EXPECT_THAT(watched("--quiet --error-exitcode 42", ends + " refused children").out,
              HasSubstr("children: 110304\n"));
  EXPECT_EQ(WTERMSIG(shell("env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN
                           " --cuda --error-exitcode 42 " +
                           ends + " refused term")
                         .status),
            0);
}

TEST(Report, WithAStatusTheOutputIsWhole) {
  const Ran ran = watched("--quiet --error-exitcode 42", ends + " refused unflushed");
  EXPECT_EQ(WEXITSTATUS(ran.status), 42);
  EXPECT_THAT(ran.out, HasSubstr("at exit\n"));
  EXPECT_THAT(ran.out, HasSubstr("of a stream"));
}

TEST(Report, WrongStatusesAreRefused) {
  for (const std::string wrong : {"0", "256", "-1", "x", "99999999999"}) {
    const Ran ran = shell(WATCH_RUN " --error-exitcode " + wrong + " true");
    EXPECT_EQ(WEXITSTATUS(ran.status), 2) << wrong;
    EXPECT_THAT(ran.out, HasSubstr("--error-exitcode needs a number from 1 to 255"));
  }
}

TEST(Report, TheSarifHasWhatHasAPlace) {
  if (shell("command -v addr2line || command -v llvm-addr2line").status != 0) GTEST_SKIP();
  const std::string path = testing::TempDir() + "watch_report.sarif";
  static_cast<void>(watched("--report " + path, failed_calls + " free_twice no_memory unloaded"));
  EXPECT_EQ(of_json(path, "report[\"version\"], len(report[\"runs\"])"), "('2.1.0', 1)\n");
  EXPECT_EQ(
      of_json(path, "[(r[\"ruleId\"], r[\"level\"]) for r in report[\"runs\"][0][\"results\"]]"),
      "[('failed-call', 'error'), ('note', 'note'), ('refused-launch', 'error')]\n");
  const std::string place =
      "report[\"runs\"][0][\"results\"][0][\"locations\"][0][\"physicalLocation\"]";
  EXPECT_THAT(of_json(path, place + "[\"artifactLocation\"][\"uri\"]"),
              testing::MatchesRegex("file:///.*/failed_calls.cpp\n"));
  EXPECT_EQ(of_json(path, place + "[\"region\"][\"startLine\"] > 0"), "True\n");
  // Each rule of a result is listed.
  EXPECT_EQ(of_json(path,
                    "{r[\"ruleId\"] for r in report[\"runs\"][0][\"results\"]} <= {r[\"id\"] "
                    "for r in report[\"runs\"][0][\"tool\"][\"driver\"][\"rules\"]}"),
            "True\n");
  const std::string without = testing::TempDir() + "watch_report_without.sarif";
  static_cast<void>(watched("--no-lines --report " + without, failed_calls + " free_twice"));
  EXPECT_EQ(of_json(without, "report[\"runs\"][0][\"results\"]"), "[]\n");
}

TEST(Report, ThePageIsWholeAndNeedsNothingElse) {
  const std::string path = testing::TempDir() + "watch_report.html";
  static_cast<void>(watched("--report " + path, program + " good bounds shared library sync"));
  const std::string page = file(path);
  EXPECT_THAT(page, HasSubstr("demo::tile&lt;float&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("demo::tile<float>")));
  EXPECT_THAT(page, HasSubstr("<p class=\"state\">2 errors</p>"));
  EXPECT_THAT(page, HasSubstr("<li class=\"remedy\">try block&lt;256&gt;"));
  EXPECT_THAT(page, HasSubstr("<h2>Suspicions</h2>"));
  EXPECT_THAT(page, HasSubstr("nothing orders cuMemsetD32Async of 4096 bytes"));
  for (const char* const part : {"http:", "https:", "<script", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(part)));
  }
  // Each element is closed.
  EXPECT_EQ(shell(WATCH_PYTHON
                  R"( -c '
import html.parser, sys
class Reader(html.parser.HTMLParser):
    open = []
    def handle_starttag(self, tag, of):
        if tag not in ("meta", "link"): self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
reader = Reader()
reader.feed(open(sys.argv[1], encoding="utf-8").read())
print(reader.open)' )" +
                  path)
                .out,
            "[]\n");
  const std::string good = testing::TempDir() + "watch_report_good.html";
  static_cast<void>(watched("--report " + good, program + " good"));
  EXPECT_THAT(file(good), HasSubstr("<p class=\"state\">No errors</p>"));
}

TEST(Report, AnotherMachineMakesTheSamePageOfTheJson) {
  const std::string path = testing::TempDir() + "watch_report_later";
  // The journal's disk is full.
  static_cast<void>(watched("--report " + path + ".json --report " + path + ".html --report " +
                                path + ".sarif --journal /dev/full",
                            failed_calls + " free_twice no_memory unloaded"));
  EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + path + ".json").out, "valid\n");
  EXPECT_THAT(file(path + ".html"), HasSubstr("the journal /dev/full is incomplete"));
  for (const std::string ending : {".html", ".sarif"}) {
    const std::string made = path + ".again" + ending;
    const Ran ran = shell(WATCH_RUN "-report " + path + ".json " + made);
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(file(made), "");
    EXPECT_EQ(file(made), file(path + ending));
  }
  EXPECT_EQ(shell(WATCH_RUN "-report --html - - < " + path + ".json").out, file(path + ".html"));
}

TEST(Report, AWrongReportIsRefused) {
  const std::string path = testing::TempDir() + "watch_report_refused.json";
  const auto refused = [&](const std::string& text) {
    std::ofstream(path) << text;
    const Ran ran = shell(WATCH_RUN "-report " + path + ' ' + path + ".html");
    EXPECT_EQ(WEXITSTATUS(ran.status), 1);
    return ran.out;
  };
  const std::string begin = "warpsafe-run-report: cannot read " + path + ": ";
  EXPECT_EQ(refused("{}"), begin + "it is no report of warpsafe-run\n");
  EXPECT_THAT(refused("{"), testing::StartsWith(begin));
  EXPECT_THAT(refused(R"({"format": "warpsafe-run report", "version": 1})"),
              testing::StartsWith(begin));
  EXPECT_EQ(WEXITSTATUS(shell(WATCH_RUN "-report one.json").status), 2);
  EXPECT_EQ(WEXITSTATUS(shell(WATCH_RUN "-report one.json two.txt").status), 2);
  EXPECT_THAT(shell(WATCH_RUN "-report none.json two.html").out, HasSubstr("No such file"));
  static_cast<void>(watched("--report " + path, ends + " launch"));
  EXPECT_EQ(shell(WATCH_RUN "-report --html " + path + " /dev/full").out,
            "warpsafe-run-report: cannot write /dev/full: No space left on device\n");
}

TEST(Report, APageNeverReplacesItsReport) {
  const std::string path = testing::TempDir() + "watch_report_kept.json", link = path + ".link",
                    name = path + ".name", page = path + ".html";
  shell("rm -f " + path + "*");
  static_cast<void>(watched("--report " + path, ends + " launch"));
  const std::string kept = file(path);
  shell("ln -sf " + path + ' ' + link + "; ln -f " + path + ' ' + name);
  const auto make = [](const std::string& words) {
    return shell("(" WATCH_RUN "-report --html " + words + ")");
  };
  for (const std::string& words :
       {path + ' ' + path, path + ' ' + link, path + ' ' + name, "- " + path + " < " + path,
        path + " - 1<>" + path, path + " /dev/fd/3 3<>" + path}) {
    const Ran ran = make(words);
    EXPECT_EQ(WEXITSTATUS(ran.status), 2) << words;
    EXPECT_THAT(ran.out, testing::AllOf(HasSubstr(" is the same file as the report "),
                                        testing::EndsWith("; choose another name\n")))
        << words;
    EXPECT_EQ(file(path), kept) << words;
  }
  // An older page stays until the new one is whole. Its name may be a link.
  shell("echo old > " + page + "; chmod 640 " + page + "; ln -sf " + page + ' ' + link);
  EXPECT_EQ(WEXITSTATUS(shell("ulimit -f 0; " WATCH_RUN "-report " + path + ' ' + page).status), 2);
  EXPECT_EQ(file(page), "old\n");
  EXPECT_EQ(make(path + ' ' + link).status, 0);
  EXPECT_THAT(file(page), testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(shell("stat -c %a " + page + "; readlink " + link).out, "640\n" + page + '\n');
  for (const std::string& words :
       {path + " -", path + " /dev/stdout", path + " /dev/fd/3 3>&1", path + " - | cat"}) {
    EXPECT_EQ(make(words).out, file(page)) << words;
  }
}

TEST(Report, AClosedInputOrOutputIsSaid) {
  const std::string path = testing::TempDir() + "watch_report_closed.json";
  static_cast<void>(watched("--report " + path, ends + " launch"));
  for (const auto& [words, status, said] : {std::tuple{"- - <&-", 1, "cannot read -: "},
                                            {"- - <$1 >&-", 2, "cannot write -: "},
                                            {"$1 - >&-", 2, "cannot write -: "},
                                            {"$1 - >/dev/full", 2, "cannot write -: "}}) {
    const Ran ran = shell("set -- " + path + "; (" WATCH_RUN "-report --html " + words + ")");
    EXPECT_EQ(WEXITSTATUS(ran.status), status) << words;
    EXPECT_THAT(ran.out, testing::StartsWith(std::string("warpsafe-run-report: ") + said));
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
  }
}

TEST(Report, OneFileIsOneOutput) {
  const std::string path = testing::TempDir() + "watch_report_one", link = path + ".link",
                    copy = path + "_program";
  shell("echo kept > " + path + "; ln -sf " + path + ' ' + link + "; rm -f " + path +
        ".new; cp " WATCH_ENDS " " + copy);
  const auto refuse = [&](const std::string& options, const std::string& what,
                          const std::string& of = ends) {
    const Ran ran = watched(options, of + " launch");
    EXPECT_EQ(WEXITSTATUS(ran.status), 2) << options;
    EXPECT_THAT(ran.out, testing::StartsWith("warpsafe-run: " + what + " are the same file, "))
        << options;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
    EXPECT_EQ(file(path), "kept\n") << options;
  };
  refuse("--report " + path + " --journal " + path, "--report and --journal");
  refuse("--timeline " + link + " --report " + path, "--timeline and --report");
  refuse("--report " + path + ".new --timeline " + testing::TempDir() + "./watch_report_one.new",
         "--report and --timeline");
  refuse("--report " + path + ".%p --journal " + path + ".%p", "--report and --journal");
  refuse("--report " + copy, "--report and the program", copy);
  refuse("--cupti " + path + " --report " + path, "--report and --cupti");
  EXPECT_THAT(
      shell("exec 3>&1; (env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --journal " +
            path + ".new " + ends + " launch 2>&3 >" + path + ".new)")
          .out,
      HasSubstr("--journal and standard output are the same file"));
  // Pipes and descriptors take more than one output.
  EXPECT_EQ(watched("--quiet --report /dev/null --journal /dev/null", ends + " launch").status, 0);
  const std::string both =
      watched("--quiet --report /dev/stdout --journal /dev/fd/1", ends + " launch").out;
  EXPECT_THAT(both, testing::AllOf(HasSubstr("{\"launch\":1"), HasSubstr("warpsafe-run report")));
}

TEST(Report, WithoutPythonItIsJson) {
  const std::string folder = testing::TempDir() + "watch_without_python";
  const std::string page = folder + "/page.html";
  const auto run = [&] {
    return watched("--report " + page, ends + " launch", "PATH=" + folder).out;
  };
  shell("rm -rf " + folder + "; mkdir " + folder +
        "; for tool in env sh readlink dirname; do ln -s $(command -v $tool) " + folder +
        "/$tool; done");
  // There is none.
  EXPECT_THAT(run(), testing::StartsWith("warpsafe-run: python3, which writes " + page +
                                         ", does not run here: the report will be " + page +
                                         ".json, of which warpsafe-run-report makes the file\n"));
  EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + page + ".json").out, "valid\n");
  EXPECT_EQ(file(page), "");
  // It does not work when the program ends.
  shell("rm " + page + ".json");
  std::ofstream(folder + "/python3") << "#!/bin/sh\n"
                                        "case $* in\n"
                                        "  *sys.executable*) echo \"$0\" ;;\n"
                                        "  *-c*) ;;\n"
                                        "  *) exit 1 ;;\n"
                                        "esac\n";
  shell("chmod +x " + folder + "/python3");
  EXPECT_THAT(run(), HasSubstr("warpsafe: python3 did not make " + page + ", so the report is in " +
                               page + ".json; warpsafe-run-report makes the file of it\n"));
  EXPECT_EQ(shell(WATCH_CHECK_REPORT " " + page + ".json").out, "valid\n");
}

TEST(Report, AFileThatCannotBeWrittenIsSaid) {
  const Ran full = watched("--report /dev/full", ends + " launch");
  EXPECT_EQ(full.status, 0);
  EXPECT_THAT(full.out, HasSubstr("warpsafe: cannot write the report /dev/full: No space left"));
  const std::string link = testing::TempDir() + "watch_report_link.json";
  shell("ln -sf /none/there " + link);
  EXPECT_THAT(watched("--report " + link, ends + " launch").out,
              HasSubstr("a symbolic link has that name"));
  // Another user may have made the name in /tmp.
  const std::string kept = testing::TempDir() + "watch_report_kept", name = kept + ".name";
  shell("echo kept > " + kept + "; ln -f " + kept + ' ' + name);
  for (const std::string option : {"--report", "--journal", "--timeline"}) {
    EXPECT_THAT(watched(option + ' ' + name, ends + " launch").out,
                HasSubstr("the file has another name, a hard link; remove it"))
        << option;
  }
  EXPECT_EQ(file(kept), "kept\n");
  shell("rm " + name + "; mkfifo " + name);
  EXPECT_THAT(watched("--journal " + name, "timeout 20 " + ends + " launch").out,
              HasSubstr("a pipe or a device has that name"));
  const Ran limited =
      shell("ulimit -f 0; env LD_LIBRARY_PATH=" WATCH_STAND_IN " " WATCH_RUN " --cuda --report " +
            testing::TempDir() + "watch_report_limit.html " + ends + " launch");
  EXPECT_EQ(limited.status, 0);
  EXPECT_THAT(limited.out, HasSubstr("File too large"));
}

}  // namespace
