#include "device/story.hpp"

#include <unistd.h>

#include <sstream>

#include "tutti/environment.hpp"

namespace tutti::test {
namespace {

std::string log_path() {
  return "/tmp/tutti-story." + std::to_string(getpid()) + ".log";
}

}  // namespace

std::vector<Call> log_of_calls() {
  std::ifstream file(std::getenv("TUTTI_FAKE_LOG") + std::string(".") + std::to_string(getpid()));
  std::vector<Call> calls;
  for (std::string line; std::getline(file, line);) {
    Call call;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (const auto at = word.find('='); at != std::string::npos)
        call.words[word.substr(0, at)] = word.substr(at + 1);
    calls.push_back(call);
  }
  return calls;
}

std::size_t count_calls(const std::string& name) {
  std::size_t count = 0;
  for (const Call& call : log_of_calls())
    if (call.name() == name) ++count;
  return count;
}

std::size_t position_of(const std::string& name, std::size_t from) {
  const std::vector<Call> calls = log_of_calls();
  for (std::size_t i = from; i < calls.size(); ++i)
    if (calls[i].name() == name) return i;
  return calls.size();
}

std::vector<std::string> names_since(std::size_t before) {
  std::vector<std::string> names;
  const std::vector<Call> calls = log_of_calls();
  for (std::size_t i = before; i < calls.size(); ++i) names.push_back(calls[i].name());
  return names;
}

void require_works_on_device(const Communicator& communicator) {
  const OnDevice<int> data({communicator.rank() + 1, 1});
  communicator.all_reduce(data.span(), sum);
  const int n = communicator.size();
  require(data.values() == std::vector<int>{n * (n + 1) / 2, n},
          "all_reduce on the device is wrong");
}

void require_same_everywhere(const std::string& text) {
  require(same_on_all_ranks(hash(text.data(), text.size())), "the ranks' texts differ: " + text);
}

}  // namespace tutti::test

int main(int argc, char** argv) {
  using namespace tutti::test;
  if (argc < 2) fail("usage: stories NAME");
  setenv("TUTTI_FAKE_LOG", log_path().c_str(), 1);
  std::vector<Told> all = bootstrap_stories();
  for (const auto& more : {operation_stories(), stream_stories(), failure_stories(),
                           group_stories(), memory_stories()})
    all.insert(all.end(), more.begin(), more.end());
  for (const Told& story : all) {
    if (std::string(story.name) != argv[1]) continue;
    if (story.faults != nullptr) setenv("TUTTI_FAKE_FAULTS", story.faults, 1);
    {
      tutti::Environment environment;
      require_expected_size();
      story.tell();
    }
    unlink((log_path() + "." + std::to_string(getpid())).c_str());
    return 0;
  }
  fail(std::string("no story is named ") + argv[1]);
}
