package import Foundation

/// What the site says of the public log (SPEC §14): its shards as they are published, and whom the installation trusts.
package struct LogFacts: Sendable, Equatable {
    /// The tree of one key.
    package struct Shard: Sendable, Equatable {
        /// "rial.example/log/2026".
        package let origin: String
        /// The verifier key, "name+id+base64".
        package let key: String
        /// The origin of the shard that it follows.
        package let previous: String?
        /// `nil` if nothing is published yet.
        package let published: Published?
        package let state: State

        package init(origin: String, key: String, previous: String?, published: Published?, state: State) {
            self.origin = origin
            self.key = key
            self.previous = previous
            self.published = published
            self.state = state
        }
    }

    /// The newest published checkpoint.
    package struct Published: Sendable, Equatable {
        package let size: Int64
        /// SHA-256, 32 bytes.
        package let root: [UInt8]
        package let at: Date
        /// Who cosigned it, in the order of their times.
        package let witnesses: [Witness]

        package init(size: Int64, root: [UInt8], at: Date, witnesses: [Witness]) {
            self.size = size
            self.root = root
            self.at = at
            self.witnesses = witnesses
        }
    }

    /// A witness and when it last cosigned.
    package struct Witness: Sendable, Equatable {
        package let name: String
        package let at: Date

        package init(name: String, at: Date) {
            self.name = name
            self.at = at
        }
    }

    package enum State: Sendable, Equatable {
        case open
        case closed(Date)
        /// The open one: nothing is signed any more until an operator has settled why.
        case frozen(Date)
        /// Closed, and something is wrong with it since: the log goes on without it.
        case damaged(closed: Date, since: Date)
        /// Closed where it was published last, since nobody could settle what is wrong with it: it is not recovered any more.
        case givenUp(Date)
    }

    /// The newest first; empty if there is no log.
    package let shards: [Shard]

    package init(shards: [Shard]) { self.shards = shards }
}
