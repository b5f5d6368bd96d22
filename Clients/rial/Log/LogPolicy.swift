import ArgumentParser
import Foundation
import ServiceRuntime
import TransparencyLog

/// Prints a policy for the installation's logs.
struct LogPolicy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Prints a policy (c2sp.org/tlog-policy) with the installation's logs and the given witnesses, all of which must cosign.",
        discussion: """
            Reads RIAL_DATABASE_URL and RIAL_PUBLIC_URL, under which the logs are served. It is a beginning for RIAL_LOG_POLICY: a quorum of \
            fewer than all witnesses, in groups, is written by hand.
            """)

    @Option(help: "A witness's verifier key, a space, and its submission prefix. May be repeated.")
    var witness: [String] = []

    func run() async throws {
        let site = try ServiceEnvironment().requiredURL("RIAL_PUBLIC_URL").absoluteString
        let shards = try await LogShards.with { try await $0.all() }
        guard !shards.isEmpty else { throw CommandFailure("There is no log yet: open one first, with `rial log open`.") }
        let text = try Self.text(shards.map { ($0.key, $0.shard) }, site: site, witnesses: witness)
        Console.result(text.trimmingCharacters(in: .newlines))
    }

    /// - Parameter logs: the verifier key and the name of each.
    /// - Throws: `ValidationError` for what no policy can say.
    static func text(_ logs: [(key: String, shard: String)], site: String, witnesses: [String]) throws -> String {
        let prefix = site.hasSuffix("/") ? site : site + "/"
        var lines = logs.map { "log \($0.key) \(prefix)log/\($0.shard)/" }
        let names = witnesses.indices.map { "w\($0 + 1)" }
        lines += zip(names, witnesses).map { "witness \($0) \($1)" }
        lines +=
            names.isEmpty ? ["quorum none"] : ["group all-of-them all \(names.joined(separator: " "))", "quorum all-of-them"]
        let text = lines.map { $0 + "\n" }.joined()
        let policy: TrustPolicy
        do {
            policy = try TrustPolicy(Array(text.utf8))
        } catch {
            throw ValidationError("The policy of these logs and witnesses \(error.message).")
        }
        guard policy.witnesses.count == witnesses.count else { throw ValidationError("A witness is a verifier key and a URL.") }
        return text
    }
}
