import ArgumentParser
import AsyncHTTPClient
import Foundation
import TransparencyLog

/// Follows a log, and says what is wrong with it.
struct LogMonitor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Follows a shard of a public log from its public files, and says what is wrong with it.",
        discussion: """
            Reads every entry and tile, compares the tree with all checkpoints seen before, those of the policy's witnesses and those \
            given, and says nothing as long as all is well. Exits with 1 and a line that says so as soon as something is wrong; if the log \
            forked, both notes are in the state folder, or are printed if they cannot be written. Exits with 2 if it could not look. May \
            be killed at any time.
            """)

    @Argument(help: "Where the shard is: the address above its checkpoint, as https://rial.example/log/2026/.")
    var prefix: String
    @Option(help: "A file of c2sp.org/tlog-policy with the log's key, and the witnesses to ask.")
    var policy: String
    @Option(help: "The folder for what was verified.")
    var state: String
    @Option(help: "Further checkpoints of the log: an address, a witness's monitoring prefix that ends in a slash, or a file.")
    var also: [String] = []
    @Flag(help: "Look once; exit with 0 if all is well.")
    var once = false
    @Option(help: "Seconds between looks.")
    var interval = 10
    @Option(help: "Seconds for which the log may lack what you or others have seen of it.")
    var patience = 60
    @Option(help: "Hours after which all entries and tiles are read again; 0 for each time.")
    var rehash = 24
    @Option(help: "A bundle: say what the log has about its subject that is not in the bundle. Looks once.")
    var bundle: String?

    func validate() throws {
        guard prefix.hasPrefix("https://") || prefix.hasPrefix("http://") else {
            throw ValidationError("PREFIX is an address of http or https")
        }
        guard (1...86_400).contains(interval) else { throw ValidationError("--interval is 1 to 86400.") }
        guard (0...86_400).contains(patience) else { throw ValidationError("--patience is 0 to 86400.") }
        guard (0...8760).contains(rehash) else { throw ValidationError("--rehash is 0 to 8760.") }
    }

    func run() async throws {
        let client = PublicFiles.makeClient()
        let result: Result<Void, any Error>
        do { result = .success(try await follow(PublicFiles(client: client))) } catch { result = .failure(error) }
        try? await client.shutdown()
        do {
            try result.get()
        } catch let failure as CommandFailure {
            Console.progress("\(failure)")
            throw ExitCode(2)
        }
    }

    private func follow(_ files: PublicFiles) async throws {
        let folder = try DurableFolder(state)
        let policy = try PolicyFile.read(policy)
        let options = LogMonitoring.Options(
            prefix: prefix.hasSuffix("/") ? prefix : prefix + "/", policy: policy, also: also.map(CheckpointSource.init),
            tolerance: patience, rehashSeconds: rehash * 3600)
        let monitoring = try LogMonitoring(options, folder: folder, files: files)
        var watch = DefectWatch(tolerance: patience)
        while true {
            let now = Int(Date().timeIntervalSince1970)
            do {
                let report = try await monitoring.round(at: now)
                watch.pass()
                for problem in report.unread { watch.tell(problem) }
                if once || bundle != nil, await monitoring.isComplete {
                    if let bundle { try await say(what: bundle, lacks: monitoring, report.tree.checkpoint.origin, policy, at: now) }
                    Console.result("sound: \(report.tree.checkpoint.origin), \(report.tree.size) entries")
                    return
                }
            } catch let evidence as ForkEvidence {
                if watch.isDue(evidence.defect, at: now) {
                    evidence.report(in: folder) { Console.result($0) }
                    throw ExitCode(1)
                }
            } catch let defect as LogDefect {
                if watch.isDue(defect, at: now) {
                    Console.result("\(defect)")
                    throw ExitCode(1)
                }
            } catch let problem as PublicFiles.Unreachable {
                guard !once, bundle == nil else { throw CommandFailure("\(problem)") }
                watch.tell("\(problem)")
            }
            try await Task.sleep(for: .seconds(once || bundle != nil ? 1 : interval))
        }
    }

    private func say(
        what path: String, lacks monitoring: LogMonitoring, _ origin: TextLine, _ policy: TrustPolicy, at now: Int
    ) async throws {
        let standing = try BundleStanding(path, policy: policy, origin: origin)
        let size = try await monitoring.round(at: now, also: standing.trees).tree.size
        let lines = try await standing.compare(size: size, all: monitoring.records(of: standing.subject)) {
            try await monitoring.record(at: $0)
        }
        for line in lines { Console.result(line) }
    }
}

/// The defects that were seen and may pass, and the sentences that were already printed to standard error.
struct DefectWatch {
    /// For how many seconds something may be wrong that can pass.
    let tolerance: Int
    /// When the first defect was seen, of whatever kind, since all was well.
    private var since: Int?
    private var told: Set<String> = []

    init(tolerance: Int) { self.tolerance = tolerance }

    /// Nothing is wrong now.
    mutating func pass() { since = nil }

    /// Whether it is time to say so.
    mutating func isDue(_ defect: LogDefect, at now: Int) -> Bool {
        guard defect.passes else { return true }
        // The clock may have been set back.
        let first = min(since ?? now, now)
        since = first
        return now - first >= tolerance
    }

    /// Once each.
    mutating func tell(_ sentence: String) {
        guard told.count < 1000, told.insert(sentence).inserted else { return }
        Console.progress(sentence)
    }
}
