//! The beginning of a connection: what server and client agree on, and who the client is.

use crate::capabilities::{self, Refused, DEPRECATE_EOF};
use crate::connection::{whole, Connection, End, Flow, Large};
use crate::packet::{Malformed, ERR, HEADER, OK};
use crate::refusal;
use crate::signals::Side;
use crate::socket::either;

impl Connection {
    /// The server's greeting and the client's answer, without what is not understood.
    pub async fn handshake(&mut self) -> Flow {
        let greeting = loop {
            if let Some(header) = whole(&self.answers).map_err(|_| End::Told(refusal::HANDSHAKE, 0))? {
                break header;
            }
            if !matches!(self.server.fill(&mut self.answers).await, Ok(1..)) {
                return Err(End::Told(refusal::UNREACHABLE, 0));
            }
        };
        let packet = &mut self.answers.unread_mut()[..greeting.total()];
        let refused = packet.get(HEADER) == Some(&ERR);
        let offered = match capabilities::mask_greeting(&mut packet[HEADER..]) {
            Ok(offered) => offered,
            Err(Malformed) if refused => 0,
            Err(Malformed) => return Err(End::Told(refusal::HANDSHAKE, 0)),
        };
        self.client.write_all(packet).await?;
        self.answers.consume(greeting.total());
        if refused {
            return Err(End::Gone);
        }
        self.greeted = true;
        let response = loop {
            let large = |Large(header)| End::Told(refusal::HANDSHAKE, header.sequence.wrapping_add(1));
            if let Some(header) = whole(&self.commands).map_err(large)? {
                break header;
            }
            // A silent client is the server's to send away.
            self.await_either().await?;
        };
        let packet = &mut self.commands.unread_mut()[..response.total()];
        let granted = capabilities::mask_response(&mut packet[HEADER..]).map_err(|refused| {
            let refusal = match refused {
                Refused::Tls => refusal::TLS,
                Refused::Malformed => refusal::HANDSHAKE,
            };
            End::Told(refusal, response.sequence.wrapping_add(1))
        })?;
        self.responder.agreed(granted & offered & DEPRECATE_EOF != 0);
        self.server.write_all(packet).await?;
        self.commands.consume(response.total());
        Ok(())
    }

    /// Pass packets both ways until the server has let the client in, or has not.
    pub async fn authenticate(&mut self) -> Flow {
        loop {
            while let Some(header) = whole(&self.answers)? {
                let packet = &self.answers.unread()[..header.total()];
                let first = packet.get(HEADER).copied();
                self.client.write_all(packet).await?;
                self.answers.consume(header.total());
                match first {
                    Some(OK) => return Ok(()),
                    Some(ERR) => return Err(End::Gone),
                    _ => {}
                }
            }
            while let Some(header) = whole(&self.commands)? {
                self.server.write_all(&self.commands.unread()[..header.total()]).await?;
                self.commands.consume(header.total());
            }
            self.await_either().await?;
        }
    }

    /// Wait until there is something of either side, and read it.
    async fn await_either(&mut self) -> Flow {
        let count = match either(&self.server, &self.client).await {
            Side::Server => self.server.fill(&mut self.answers).await?,
            Side::Client => self.client.fill(&mut self.commands).await?,
        };
        if count == 0 {
            return Err(End::Gone);
        }
        Ok(())
    }
}
