import Blocking
import Delivery
import Foundation
import Logging
import ServiceLifecycle
import ServiceRuntime
import TransparencyLog

/// Runs the sequencer until shutdown: its turns, the session's beats, and the witnesses that are asked in the background.
struct SequencerService: Service {
    /// The pause between two turns; the sequencer itself decides how often there is a checkpoint.
    static let pause: Duration = .milliseconds(250)
    /// A third of the session's time.
    static let beatPause: Duration = .seconds(5)
    static let asidePause: Duration = .seconds(5)

    let sequencer: Sequencer
    let repository: any LogReading
    /// `nil` if none is set.
    let policy: TrustPolicy?
    let clock: any Clock<Duration>
    let logger: Logger

    init(
        sequencer: Sequencer, repository: any LogReading, policy: TrustPolicy?, clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger
    ) {
        self.sequencer = sequencer
        self.repository = repository
        self.policy = policy
        self.clock = clock
        self.logger = logger
    }

    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await turns() }
            group.addTask { await repeating(Self.beatPause) { await sequencer.beat() } }
            group.addTask {
                await repeating(Self.asidePause) {
                    do { try await sequencer.askAside() } catch { logger.warning("slow witnesses could not be asked", error: error) }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        await sequencer.stepDown()
    }

    private func turns() async throws {
        // After errors: a leaf is in a published tree within 60 seconds of the end of any fault.
        var backoff = Backoff(initial: 0.5, limit: 5)
        var last: SequencerTurn?
        while !Task.isEnding {
            var pause = Self.pause
            do {
                let turn = try await sequencer.turn()
                backoff.reset()
                try await check(turn)
                if turn != last { report(turn) }
                last = turn
            } catch let error as SettingsError {
                throw error
            } catch {
                logger.warning("a round of the log ended early; the next one continues", error: error)
                pause = backoff.next()
            }
            await cancelWhenGracefulShutdown { [pause] in try? await clock.sleep(for: pause) }
        }
    }

    /// - Throws: `SettingsError` if this instance's key or policy is not the open shard's: it must not run.
    private func check(_ turn: SequencerTurn) async throws {
        switch turn {
        case .foreignKey:
            throw SettingsError("RIAL_LOG_PRIVATE_KEY", "(or RIAL_LOG_PKCS11_KEY) is not the key of the open shard")
        case .published, .idle:
            guard let shard = try await repository.openShard() else { return }
            if let problem = Self.problem(of: policy, with: shard.key) { throw problem }
        case .standby, .noShard, .frozen: return
        }
    }

    /// Why an instance with the policy must not run while the log is open. A policy without any log is that of an installation whose first
    /// shard was just opened: it can be printed only now.
    static func problem(of policy: TrustPolicy?, with log: VerifierKey) -> SettingsError? {
        guard let policy, !policy.logs.isEmpty, !policy.logs.contains(where: { $0.key == log }) else { return nil }
        return SettingsError("RIAL_LOG_POLICY", "does not have the log \(log)")
    }

    private func report(_ turn: SequencerTurn) {
        switch turn {
        case .noShard: logger.warning("no shard of the log is open: statements wait (rial log open)")
        case .frozen(let freeze): logger.critical("the log is frozen: statements wait", metadata: ["reason": "\(freeze.reason.rawValue)"])
        case .standby: logger.info("another instance writes the log")
        case .foreignKey, .idle, .published: break
        }
    }

    private func repeating(_ pause: Duration, _ body: () async -> Void) async {
        while !Task.isEnding {
            await body()
            await cancelWhenGracefulShutdown { try? await clock.sleep(for: pause) }
        }
    }
}
