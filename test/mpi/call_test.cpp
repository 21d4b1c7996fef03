// A code that MPI returns becomes an error with the call's name and MPI's own words.
#include "mpi/call.hpp"

#include <gtest/gtest.h>

#include "support/world.hpp"

namespace tutti::test {
namespace {

std::string words_of(int code) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, words, &length);
  return {words, static_cast<std::size_t>(length)};
}

TEST(Call, SuccessIsSilent) {
  EXPECT_NO_THROW(mpi::check(MPI_SUCCESS, "MPI_Barrier(comm)"));
  EXPECT_NO_THROW(TUTTI_MPI(MPI_Barrier(MPI_COMM_SELF)));
}

TEST(Call, AFailureTellsTheCallTheWordsAndTheCode) {
  const Failure failure =
      failure_of([] { mpi::check(MPI_ERR_TRUNCATE, "MPI_Recv(out, count, wire, peer, tag)"); });
  ASSERT_TRUE(failure.thrown);
  EXPECT_EQ(failure.code, Errc::mpi);
  const std::string expected = "MPI_Recv failed: " + words_of(MPI_ERR_TRUNCATE) + " (code " +
                               std::to_string(MPI_ERR_TRUNCATE) + ")";
  EXPECT_NE(failure.text.find(expected), std::string::npos) << failure.text;
  EXPECT_EQ(failure.text.find("wire"), std::string::npos) << "arguments mean nothing to a user";
}

TEST(Call, TheMacroNamesWhatItCalls) {
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  int data = 0;
  const Failure failure =
      failure_of([&] { TUTTI_MPI(MPI_Bcast(&data, 1, MPI_INT, 7, own)); });  // there is no rank 7
  MPI_Comm_free(&own);
  ASSERT_TRUE(failure.thrown);
  EXPECT_EQ(failure.code, Errc::mpi);
  EXPECT_NE(failure.text.find("MPI_Bcast failed: "), std::string::npos) << failure.text;
}

// What MPI has no words for must not become a second failure.
TEST(Call, AnUnknownCodeIsToldAsANumber) {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const Failure failure = failure_of([] { mpi::check(987654321, "MPI_Barrier(comm)"); });
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
  if (before != MPI_ERRORS_ARE_FATAL && before != MPI_ERRORS_RETURN) MPI_Errhandler_free(&before);
  EXPECT_EQ(failure.code, Errc::mpi);
  EXPECT_NE(failure.text.find("987654321"), std::string::npos) << failure.text;
}

}  // namespace
}  // namespace tutti::test
