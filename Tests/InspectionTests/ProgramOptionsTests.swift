import Inspection
import Testing

@Suite("The command line of a sandboxed program")
struct ProgramOptionsTests {
    @Test("is options with their values, in order, and a self-test anywhere between them")
    func options() throws {
        let options = try #require(ProgramOptions(["--first", "1", "--self-test", "--second", "--first", "--first", "2"]))
        #expect(options.isSelfTest)
        #expect(options.values.map { $0.name } == ["--first", "--second", "--first"])
        #expect(options.values.map { $0.value } == ["1", "--first", "2"])
    }

    @Test(
        "asks for no self-test unless it says so where an option may be", arguments: [[], ["--first", "1"], ["--first", "--self-test"]])
    func noSelfTest(arguments: [String]) throws {
        let options = try #require(ProgramOptions(arguments))
        #expect(!options.isSelfTest && options.values.count == arguments.count / 2)
    }

    @Test(
        "is refused if its last option has no value", arguments: [["--first"], ["--first", "1", "--second"], ["--self-test", "--first"]])
    func valueMissing(arguments: [String]) { #expect(ProgramOptions(arguments) == nil) }
}
